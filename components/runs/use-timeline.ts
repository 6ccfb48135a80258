"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TimelineEntry } from "../../server/contract/timeline.ts";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";

/** The page size of the API: a full page means that there may be more. */
const fullAnswer = 500;

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

/** The known and the new entries, each once, ordered by id. Returns the known list itself if nothing is new. */
export function mergeTimeline(known: TimelineEntry[], news: TimelineEntry[]): TimelineEntry[] {
  const lastId = known.at(-1)?.id ?? 0;
  if (news.every(({ id }) => id > lastId)) return news.length === 0 ? known : [...known, ...sortById(news)];
  const knownIds = new Set(known.map(({ id }) => id));
  const added = news.filter(({ id }) => !knownIds.has(id));
  return added.length === 0 ? known : sortById([...known, ...added]);
}

/** Fetches the entries after the known ones until there are no more. Reports each page. */
export async function readOn(
  known: TimelineEntry[],
  p: { ask: (after: number) => Promise<TimelineEntry[]>; onEntries: (entries: TimelineEntry[]) => void },
): Promise<TimelineEntry[]> {
  for (let entries = known; ;) {
    const news = await p.ask(entries.at(-1)?.id ?? 0);
    const merged = mergeTimeline(entries, news);
    if (merged === entries || news.length < fullAnswer) return merged;
    entries = merged;
    p.onEntries(entries);
  }
}

function sortById(entries: TimelineEntry[]): TimelineEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}
