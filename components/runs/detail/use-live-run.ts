"use client";

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { isEnded } from "../../../server/domain/runs/run-state.ts";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { isOpen } from "../../ui/statuses.ts";

/** The page size of the API: a full page means that there may be more. */
const fullPage = 500;

/** The timeline of a run. While the run is open, only new entries are fetched and appended. */
export function useTimeline({ id: runId, status }: Pick<Run, "id" | "status">) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const options = trpc.runs.timeline.queryOptions({ id: runId });
  const known = queries.getQueryData(options.queryKey) ?? [];
  return useQuery({
    ...options,
    queryFn: ({ signal }) =>
      readNewEntries(queries.getQueryData(options.queryKey) ?? [], {
        fetchAfter: (after) => client.runs.timeline.query({ id: runId, after }, { signal }),
        // A change in between restarts the query from these entries.
        onEntries: (entries) => queries.setQueryData(options.queryKey, entries),
      }),
    // Entries never change, so comparing thousands of them is not needed.
    structuralSharing: false,
    // A resumed run is open again, although the last known entry may be its first end.
    meta: { live: isOpen(status) || !hasEnded(known) },
  });
}

function hasEnded(entries: readonly TimelineEntry[]): boolean {
  const last = entries.at(-1);
  return last !== undefined && isEnded(last.kind);
}

/** The known and the new entries, each once, ordered by id. Returns the known list itself if nothing is new. */
export function mergeTimeline(known: TimelineEntry[], added: TimelineEntry[]): TimelineEntry[] {
  const lastId = known.at(-1)?.id ?? 0;
  if (added.every(({ id }) => id > lastId)) return added.length === 0 ? known : [...known, ...sortById(added)];
  const knownIds = new Set(known.map(({ id }) => id));
  const unknown = added.filter(({ id }) => !knownIds.has(id));
  return unknown.length === 0 ? known : sortById([...known, ...unknown]);
}

/** Fetches the entries after the known ones until there are no more. Reports each page. */
export async function readNewEntries(
  known: TimelineEntry[],
  {
    fetchAfter,
    onEntries,
  }: {
    fetchAfter: (id: number) => Promise<TimelineEntry[]>;
    onEntries: (entries: TimelineEntry[]) => void;
  },
): Promise<TimelineEntry[]> {
  for (let entries = known; ;) {
    const added = await fetchAfter(entries.at(-1)?.id ?? 0);
    const merged = mergeTimeline(entries, added);
    if (merged === entries || added.length < fullPage) return merged;
    entries = merged;
    onEntries(entries);
  }
}

function sortById(entries: TimelineEntry[]): TimelineEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

/** What an agent did in its run. Not loaded for workflows. */
export function useConversation(run: Pick<Run, "id" | "status" | "target">) {
  const trpc = useTRPC();
  const isAgent = run.target.kind === "agent";
  const isLive = isOpen(run.status);
  const trace = useQuery({
    ...trpc.runs.conversation.queryOptions(isAgent ? { id: run.id } : skipToken),
    meta: { live: isLive },
  });
  // A trace loaded while the run ended may lack its last step.
  const wasLive = useRef(isLive);
  const { refetch } = trace;
  useEffect(() => {
    if (isAgent && wasLive.current && !isLive) void refetch();
    wasLive.current = isLive;
  }, [isAgent, isLive, refetch]);
  return trace;
}
