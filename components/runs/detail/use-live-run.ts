"use client";

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AgentConversation } from "../../../server/contract/agent/conversation.ts";
import type { AgentLive } from "../../../server/contract/agent/trace.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { isEnded } from "../../../server/shared/runs/run-state.ts";
import { useFeed } from "../../live/use-feed.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { isOpen } from "../../ui/statuses.ts";

/** The timeline of a run. It is read once; then its feed appends the new entries, until the run has ended. */
export function useTimeline({ id: runId, status }: Pick<Run, "id" | "status">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // Entries never change, so comparing thousands of them is not needed.
  const options = trpc.runs.timeline.queryOptions({ id: runId }, { staleTime: Infinity, structuralSharing: false });
  const timeline = useQuery(options);
  const last = timeline.data?.at(-1);
  // A resumed run is open again, although the last known entry may be its first end.
  const isOver = last && (isEnded(last.kind) || last.kind === "key_released");
  const isGrowing = timeline.data !== undefined && (isOpen(status) || !isOver);
  useFeed(isGrowing ? { kind: "timeline", run: runId, after: String(last?.id ?? 0) } : null, (added) => {
    queries.setQueryData(options.queryKey, (known = []) => mergeTimeline(known, added));
  });
  return timeline;
}

/** The known and the new entries, each once, ordered by id. Returns the known list itself if nothing is new. */
export function mergeTimeline(known: TimelineEntry[], added: TimelineEntry[]): TimelineEntry[] {
  const lastId = known.at(-1)?.id ?? 0;
  const isNewer = added.every(({ id }) => id > lastId);
  const knownIds = new Set(isNewer ? [] : known.map(({ id }) => id));
  const unknown = added.filter(({ id }) => !knownIds.has(id));
  if (unknown.length === 0) return known;
  const sorted = [...new Map((isNewer ? unknown : [...known, ...unknown]).map((entry) => [entry.id, entry])).values()];
  sorted.sort((a, b) => a.id - b.id);
  return isNewer ? [...known, ...sorted] : sorted;
}

/** What an agent did in its run, with the words that its model is saying. Not loaded for workflows. */
export function useConversation(run: Pick<Run, "id" | "status" | "target">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const isAgent = run.target.kind === "agent";
  const options = trpc.runs.conversation.queryOptions(isAgent ? { id: run.id } : skipToken);
  const conversation = useQuery(options);
  const isAnswering = conversation.data !== undefined && isOpen(run.status);
  useFeed(isAnswering ? { kind: "words", run: run.id, after: null } : null, (words) => {
    queries.setQueryData(options.queryKey, (known) => known && withWords(known, words));
  });
  return conversation;
}

/** The conversation with these words in the model call that is in progress. */
function withWords(conversation: AgentConversation, words: AgentLive | null): AgentConversation {
  const turns = conversation.turns.map((turn) => {
    const live = words && turn.openSteps.includes(words.step) ? words : null;
    return live === turn.live ? turn : { ...turn, live, isInProgress: turn.isInProgress || live !== null };
  });
  return { ...conversation, turns };
}
