"use client";

import { useQueryState } from "nuqs";

/** The selected tab, stored in the URL. The first tab has no URL parameter; an unknown value selects the first tab. */
export function useSheetTab<Id extends string>(ids: readonly [Id, ...Id[]]): [Id, (id: string) => void] {
  const [tab, setTab] = useQueryState("tab");
  const selected = ids.find((id) => id === tab) ?? ids[0];
  return [selected, (id) => void setTab(id === ids[0] ? null : id)];
}
