"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TimelineEntry } from "../../server/contract/timeline.ts";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { readOn } from "./merge-timeline.ts";

/** A run's timeline, which grows while it runs: only what came since is asked for, and added. */
export function useTimeline(runId: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const options = trpc.runs.timeline.queryOptions({ id: runId });
  const known = queries.getQueryData(options.queryKey) ?? [];
  return useQuery({
    ...options,
    queryFn: ({ signal }) =>
      readOn(queries.getQueryData(options.queryKey) ?? [], {
        ask: (after) => client.runs.timeline.query({ id: runId, after }, { signal }),
        // A change meanwhile begins the reading anew: from here.
        tell: (entries) => queries.setQueryData(options.queryKey, entries),
      }),
    // Thousands of entries that never change need no comparing.
    structuralSharing: false,
    meta: { live: !hasEnded(known) },
  });
}

function hasEnded(entries: readonly TimelineEntry[]): boolean {
  const kind = entries.at(-1)?.kind;
  return kind === "completed" || kind === "failed" || kind === "canceled" || kind === "timed_out";
}
