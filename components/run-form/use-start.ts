"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { Target } from "../../server/contract/target.ts";
import type { Verdict } from "../../server/contract/verdict.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { useToast } from "../ui/toast.tsx";
import type { RunSubject } from "./run-subject.ts";

interface Started {
  runs: readonly { runId: string; target: Target }[];
  verdicts: readonly Verdict[];
}

export interface Starter {
  start: (text: string) => void;
  isBusy: boolean;
  error: unknown;
  /** What stopped it: nothing went wrong, and nothing started. */
  stopped: readonly Verdict[] | null;
  /** The text that was last sent: the answers are about it. */
  sent: string | null;
  forget: () => void;
}

/** Starts what the form is for, and leads to the run. */
export function useStart(subject: RunSubject): Starter {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const [sent, setSent] = useState<string | null>(null);
  const [stopped, setStopped] = useState<readonly Verdict[] | null>(null);
  const onStarted = ({ runs, verdicts }: Started) => {
    const [first, ...others] = runs;
    if (!first) return setStopped(verdicts);
    for (const { runId, target } of others) toast({ tone: "ok", text: `${target.slug} was started, too`, href: runPath(runId), linkLabel: "Its run" });
    router.push(runPath(first.runId));
  };
  const test = useMutation(trpc.triggers.test.mutationOptions({ onSuccess: onStarted }));
  const run = useMutation(trpc.targets.run.mutationOptions({ onSuccess: ({ runId }, { kind, slug }) => onStarted({ runs: [{ runId, target: { kind, slug } }], verdicts: [] }) }));
  const replay = useMutation(trpc.runs.replay.mutationOptions({ onSuccess: ({ runId }) => router.push(runPath(runId)) }));
  const used = { trigger: test, target: run, replay }[subject.kind];
  const start = (text: string) => {
    if (used.isPending) return;
    setSent(text);
    setStopped(null);
    if (subject.kind === "trigger") test.mutate({ trigger: subject.slug, text });
    else if (subject.kind === "target") run.mutate({ ...subject.target, text });
    else replay.mutate({ id: subject.runId, change: subject.of === "payload" ? { payload: text } : { input: text } });
  };
  const forget = () => {
    setStopped(null);
    used.reset();
  };
  return { start, isBusy: used.isPending, error: used.error, stopped, sent, forget };
}

function runPath(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}
