"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Target } from "../../server/contract/project/target.ts";
import type { Window } from "../../server/contract/traffic.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { Activity } from "./answers.ts";

/** Activity of one endpoint or one target in the time window. Keeps the previous data while another window loads. */
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

/** Verdict counts of a trigger. Its attachments share request and filter, so they have the same verdicts. */
export function verdictCountsOf(
  activity: Activity | undefined,
  attachmentIds: readonly string[],
): { matched: number; byRequest: number; byFilter: number; disabled: number } | null {
  if (!activity) return null;
  const counts = activity.triggers.filter(({ attachmentId }) => attachmentIds.includes(attachmentId));
  const max = (pick: (one: Activity["triggers"][number]) => number) => Math.max(0, ...counts.map(pick));
  return {
    matched: max((one) => one.matched),
    byRequest: max((one) => one.request_mismatch),
    byFilter: max((one) => one.filter_mismatch),
    disabled: max((one) => one.disabled),
  };
}
