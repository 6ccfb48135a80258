"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Verdict } from "../../server/contract/verdict.ts";
import { describeFault, parseDraft } from "../run-form/draft/parse-draft.ts";
import { problemOf } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";

/** Debounce of typing before a request. */
const debounceMs = 200;
/** Longer texts are parsed only by the server, so that typing stays responsive. */
const maxLocalLength = 200_000;

export type VerdictsOf =
  | { kind: "none" }
  | { kind: "verdicts"; verdicts: Verdict[] }
  | { kind: "not-json"; detail: string }
  | { kind: "failed"; error: unknown };

const none: VerdictsOf = { kind: "none" };

/** The verdicts of an endpoint's triggers for a text as it is typed. Delivers nothing. Repeated when the build changes. */
export function useVerdicts(p: { endpoint: string; text: string; version: string }): {
  answer: VerdictsOf;
  isPending: boolean;
  retry: () => void;
} {
  const { endpoint, text, version } = p;
  const trpc = useTRPC();
  const { mutate } = useMutation(trpc.triggers.verdicts.mutationOptions());
  const [answered, setAnswered] = useState<{ to: string; answer: VerdictsOf }>({ to: "", answer: none });
  const [round, setRound] = useState(0);
  const asked = JSON.stringify([endpoint, version, round, text]);
  const isEmpty = text.trim() === "";
  const fault = useMemo(
    () => (isEmpty || text.length > maxLocalLength ? null : parseDraft(text).fault),
    [isEmpty, text],
  );
  const isAsked = !isEmpty && fault === null;

  useEffect(() => {
    if (!isAsked) return;
    const answer = (given: VerdictsOf) => setAnswered({ to: asked, answer: given });
    const timer = setTimeout(() => {
      mutate(
        { endpoint, text },
        { onSuccess: (verdicts) => answer({ kind: "verdicts", verdicts }), onError: (error) => answer(ofError(error)) },
      );
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [asked, endpoint, isAsked, mutate, text]);

  const answer: VerdictsOf = isEmpty
    ? none
    : fault
      ? { kind: "not-json", detail: describeFault(fault) }
      : answered.answer;
  return { answer, isPending: isAsked && answered.to !== asked, retry: () => setRound(round + 1) };
}

function ofError(error: unknown): VerdictsOf {
  const problem = problemOf(error);
  return problem.code === "invalid_json" ? { kind: "not-json", detail: problem.detail } : { kind: "failed", error };
}
