"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Verdict } from "../../server/contract/delivery.ts";
import { describeFault, parseDraft } from "../run-form/draft/parse-draft.ts";
import { problemOf } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";

/** Debounce of typing before a request. */
const debounceMs = 200;
/** Longer texts are parsed only by the server, so that typing stays responsive. */
const maxLocalLength = 200_000;

export type VerdictsState =
  | { kind: "none" }
  | { kind: "verdicts"; verdicts: Verdict[] }
  | { kind: "not-json"; detail: string }
  | { kind: "failed"; error: unknown };

const none: VerdictsState = { kind: "none" };

/** The verdicts of an endpoint's triggers for a text as it is typed. Delivers nothing. Repeated when the build changes. */
export function useVerdicts(p: { endpoint: string; text: string; version: string }): {
  result: VerdictsState;
  isPending: boolean;
  retry: () => void;
} {
  const { endpoint, text, version } = p;
  const trpc = useTRPC();
  const { mutate } = useMutation(trpc.triggers.verdicts.mutationOptions());
  const [response, setResponse] = useState<{ to: string; result: VerdictsState }>({ to: "", result: none });
  const [round, setRound] = useState(0);
  const request = JSON.stringify([endpoint, version, round, text]);
  const isEmpty = text.trim() === "";
  const fault = useMemo(
    () => (isEmpty || text.length > maxLocalLength ? null : parseDraft(text).fault),
    [isEmpty, text],
  );
  const isRequestable = !isEmpty && fault === null;

  useEffect(() => {
    if (!isRequestable) return;
    const respond = (result: VerdictsState) => setResponse({ to: request, result });
    const timer = setTimeout(() => {
      mutate(
        { endpoint, text },
        {
          onSuccess: (verdicts) => respond({ kind: "verdicts", verdicts }),
          onError: (error) => respond(ofError(error)),
        },
      );
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [request, endpoint, isRequestable, mutate, text]);

  const result: VerdictsState = isEmpty
    ? none
    : fault
      ? { kind: "not-json", detail: describeFault(fault) }
      : response.result;
  return { result, isPending: isRequestable && response.to !== request, retry: () => setRound(round + 1) };
}

function ofError(error: unknown): VerdictsState {
  const problem = problemOf(error);
  return problem.code === "invalid_json" ? { kind: "not-json", detail: problem.detail } : { kind: "failed", error };
}
