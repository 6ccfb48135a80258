"use client";

import { useQueryState } from "nuqs";

/** The open tab, kept in the URL; the first one is not mentioned there. What the URL names must be one of them. */
export function useSheetTab<Id extends string>(ids: readonly [Id, ...Id[]]): [Id, (id: string) => void] {
  const [tab, setTab] = useQueryState("tab");
  const selected = ids.find((id) => id === tab) ?? ids[0];
  return [selected, (id) => void setTab(id === ids[0] ? null : id)];
}
