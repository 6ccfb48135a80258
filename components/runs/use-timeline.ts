"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TimelineEntry } from "../../server/contract/timeline.ts";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { readOn } from "./merge-timeline.ts";

/** The timeline of a run. While the run is open, only new entries are fetched and appended. */
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
        // A change in between restarts the query from these entries.
        onEntries: (entries) => queries.setQueryData(options.queryKey, entries),
      }),
    // Entries never change, so comparing thousands of them is not needed.
    structuralSharing: false,
    meta: { live: !hasEnded(known) },
  });
}

function hasEnded(entries: readonly TimelineEntry[]): boolean {
  const kind = entries.at(-1)?.kind;
  return kind === "completed" || kind === "failed" || kind === "canceled" || kind === "timed_out";
}
