"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Target } from "../../server/contract/target.ts";
import type { Window } from "../../server/contract/window.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { Activity } from "./answers.ts";

/** What went through one endpoint, or one target, in the window. Stays while another window is read. */
export function useActivity(p: { window: Window; endpoint?: string; target?: Target }): Activity | undefined {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.canvas.activity.queryOptions({
      window: p.window,
      endpoints: p.endpoint === undefined ? [] : [p.endpoint],
      targets: p.target ? [p.target] : [],
    }),
    placeholderData: keepPreviousData,
  });
  return query.data;
}

/** How a trigger's deliveries went. Its attachments decide alike: they share request and filter. */
export function verdictCountsOf(
  activity: Activity | undefined,
  attachmentIds: readonly string[],
): { matched: number; byRequest: number; byFilter: number; disabled: number } | null {
  if (!activity) return null;
  const counts = activity.triggers.filter(({ attachmentId }) => attachmentIds.includes(attachmentId));
  const most = (pick: (one: Activity["triggers"][number]) => number) => Math.max(0, ...counts.map(pick));
  return {
    matched: most((one) => one.matched),
    byRequest: most((one) => one.request_mismatch),
    byFilter: most((one) => one.filter_mismatch),
    disabled: most((one) => one.disabled),
  };
}
