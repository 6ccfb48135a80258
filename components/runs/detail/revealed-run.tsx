"use client";

import { useMutation } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useMemo } from "react";
import type { AgentConversation } from "../../../server/contract/agent/conversation.ts";
import type { Run, RunStep } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { MaskedNote } from "../../auth/masked-note.tsx";

/** A run as it was recorded when a person revealed it. */
interface RevealedRun {
  run: Run;
  timeline: TimelineEntry[];
  steps: RunStep[];
  conversation: AgentConversation | null;
}

/** The revealed steps by name; `null`: the run is masked, or has nothing to mask. */
export const RevealedSteps = createContext<ReadonlyMap<string, RunStep> | null>(null);

/**
 * Reveals a run on request. Entries that are added afterwards are masked, and then the conversation is, too. Revealed
 * values leave the memory of the page with it.
 */
export function useRevealedRun({ id }: Pick<Run, "id">) {
  const trpc = useTRPC();
  const reveal = useMutation(trpc.runs.reveal.mutationOptions({ gcTime: 0 }));
  const revealed: RevealedRun | null = reveal.data?.run.id === id ? reveal.data : null;
  const steps = useMemo(() => revealed && new Map(revealed.steps.map((step) => [step.name, step])), [revealed]);
  const byId = useMemo(() => new Map(revealed?.timeline.map((entry) => [entry.id, entry])), [revealed]);
  const revealEntries = useCallback(
    (entries: TimelineEntry[] | undefined) =>
      byId.size === 0 ? entries : entries?.map((entry) => byId.get(entry.id) ?? entry),
    [byId],
  );
  return {
    run: (run: Run): Run => revealed?.run ?? run,
    revealEntries,
    conversation: (masked: AgentConversation | undefined, entries: readonly TimelineEntry[]) =>
      revealed?.conversation && entries.every((entry) => byId.has(entry.id)) ? revealed.conversation : masked,
    note: (
      <MaskedNote
        what="run"
        reveal={{ ...reveal, data: revealed ?? undefined, mutate: () => reveal.mutate({ id }), reset: reveal.reset }}
      />
    ),
    steps,
  };
}

/** `null`: it is not revealed. */
export function useRevealedStep(name: string): RunStep | null {
  return useContext(RevealedSteps)?.get(name) ?? null;
}
