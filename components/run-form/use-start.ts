"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import type { Verdict } from "../../server/contract/delivery.ts";
import { type ProblemText, problemOf, problemText } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { GivenFields } from "./draft/field-texts.ts";
import type { RunSubject } from "./run-subject.ts";

export interface Starter {
  /** `trigger`: the only trigger on the endpoint that evaluates the delivery. */
  start: (text: string, fields: GivenFields, trigger?: string) => void;
  /**
   * The same for a text in which the form has found issues. The server decides whether it is valid. A delivery that the
   * trigger would reject is not sent, and `onInvalid` is called instead.
   */
  startDoubtful: (text: string, fields: GivenFields, options: { trigger?: string; onInvalid: () => void }) => void;
  isBusy: boolean;
  /** Why no run was started: the call failed, or the endpoint rejected the delivery. */
  problem: ProblemText | null;
  /** The rejected delivery, and the response status for a sender. */
  rejected: { status: number; deliveryId: string | null } | null;
  /** The verdicts of a trigger that did not match: no error, and no run. */
  stopped: readonly Verdict[] | null;
  /** The text that was sent last; `problem` and `stopped` refer to it. */
  sent: string | null;
  reset: () => void;
}

/**
 * Sends the form, then opens the run. Opens the delivery if it started several runs or none. `key`: of a
 * run that starts without a webhook.
 */
export function useStart(subject: RunSubject, key: string | undefined): Starter {
  const trpc = useTRPC();
  const router = useRouter();
  const [sent, setSent] = useState<string | null>(null);
  const send = useMutation(
    trpc.deliveries.send.mutationOptions({
      onSuccess: ({ runs, deliveryId, problem }) => {
        const [only, ...others] = runs;
        if (problem) return;
        if (only && others.length === 0) router.push(pathOf("runs", only.runId));
        else if (deliveryId !== null) router.push(pathOf("deliveries", deliveryId));
      },
    }),
  );
  const run = useMutation(
    trpc.targets.run.mutationOptions({
      onSuccess: ({ runId }) => runId !== null && router.push(pathOf("runs", runId)),
    }),
  );
  const replay = useMutation(
    trpc.runs.replay.mutationOptions({ onSuccess: ({ runId }) => router.push(pathOf("runs", runId)) }),
  );
  const preview = useMutation(trpc.triggers.verdicts.mutationOptions());
  const used = { trigger: send, target: run, replay }[subject.kind];
  const start = (text: string, fields: GivenFields, trigger?: string) => {
    if (used.isPending) return;
    setSent(text);
    if (subject.kind === "trigger") send.mutate({ endpoint: subject.endpoint, text, ...fields, trigger });
    else if (subject.kind === "target") run.mutate({ ...subject.target, trigger: subject.via?.trigger, text, key });
    else replay.mutate({ id: subject.runId, change: subject.of === "payload" ? { payload: text } : { input: text } });
  };
  const startDoubtful: Starter["startDoubtful"] = (text, fields, { trigger, onInvalid }) => {
    if (subject.kind !== "trigger") return start(text, fields);
    if (preview.isPending || used.isPending) return;
    preview.mutate(
      { trigger: subject.slug, text, ...fields },
      {
        onSuccess: (verdicts) =>
          verdicts.every(({ outcome }) => outcome === "request_mismatch") ? onInvalid() : start(text, fields, trigger),
        onError: () => start(text, fields, trigger),
      },
    );
  };
  const rejection = send.data?.problem ?? null;
  const { error } = used;
  const problem = useMemo(() => (error ? problemOf(error) : rejection && problemText(rejection)), [error, rejection]);
  return {
    start,
    startDoubtful,
    isBusy: used.isPending || preview.isPending,
    problem,
    rejected: send.data && rejection ? { status: send.data.status, deliveryId: send.data.deliveryId } : null,
    stopped: run.data?.runId === null ? run.data.verdicts : null,
    sent,
    reset: () => used.reset(),
  };
}

function pathOf(page: "runs" | "deliveries", id: string): string {
  return `/${page}/${encodeURIComponent(id)}`;
}
