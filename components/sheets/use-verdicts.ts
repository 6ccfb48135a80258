"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Verdict } from "../../server/contract/verdict.ts";
import { describeFault, parseDraft } from "../run-form/draft/parse-draft.ts";
import { problemOf } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";

/** Typing pauses at least this long before the service is asked. */
const pauseMs = 200;
/** Longer texts are read by the service alone, so that typing stays quick. */
const maxLocal = 200_000;

export type VerdictsOf =
  | { kind: "none" }
  | { kind: "verdicts"; verdicts: Verdict[] }
  | { kind: "not-json"; detail: string }
  | { kind: "failed"; error: unknown };

const none: VerdictsOf = { kind: "none" };

/**
 * What each trigger on an endpoint would say of a text, while it is typed. Nothing is sent to them. Asks again when the
 * build changes.
 */
export function useVerdicts(p: { endpoint: string; text: string; version: string }): {
  answer: VerdictsOf;
  isAsking: boolean;
  askAgain: () => void;
} {
  const { endpoint, text, version } = p;
  const trpc = useTRPC();
  const { mutate } = useMutation(trpc.triggers.verdicts.mutationOptions());
  const [answered, setAnswered] = useState<{ to: string; answer: VerdictsOf }>({ to: "", answer: none });
  const [round, setRound] = useState(0);
  const asked = JSON.stringify([endpoint, version, round, text]);
  const isEmpty = text.trim() === "";
  const fault = useMemo(() => (isEmpty || text.length > maxLocal ? null : parseDraft(text).fault), [isEmpty, text]);
  const isAsked = !isEmpty && fault === null;

  useEffect(() => {
    if (!isAsked) return;
    const answer = (given: VerdictsOf) => setAnswered({ to: asked, answer: given });
    const timer = setTimeout(() => {
      mutate(
        { endpoint, text },
        { onSuccess: (verdicts) => answer({ kind: "verdicts", verdicts }), onError: (error) => answer(ofError(error)) },
      );
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [asked, endpoint, isAsked, mutate, text]);

  const answer: VerdictsOf = isEmpty
    ? none
    : fault
      ? { kind: "not-json", detail: describeFault(fault) }
      : answered.answer;
  return { answer, isAsking: isAsked && answered.to !== asked, askAgain: () => setRound(round + 1) };
}

function ofError(error: unknown): VerdictsOf {
  const problem = problemOf(error);
  return problem.code === "invalid_json" ? { kind: "not-json", detail: problem.detail } : { kind: "failed", error };
}
