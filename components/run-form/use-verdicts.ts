"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { Verdict } from "../../server/contract/delivery.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { GivenFields } from "./draft/field-texts.ts";

const pauseMs = 250;

interface Request {
  /** Every trigger on an endpoint, or every attachment of one trigger. */
  of: { endpoint: string } | { trigger: string };
  /** `null`: there is nothing to evaluate. */
  text: string | null;
  /** `null`: headers and query are not evaluated. */
  fields: GivenFields | null;
  /** The build: each new one evaluates the text again. */
  version?: string;
}

/**
 * The verdicts on a text, evaluated shortly after the last keystroke, without a delivery. The last verdicts stay until
 * the next ones arrive, so that nothing flickers.
 */
export function useVerdicts(request: Request) {
  const { mutate } = useMutation(useTRPC().triggers.verdicts.mutationOptions());
  const [answer, setAnswer] = useState({ to: "", verdicts: null as readonly Verdict[] | null, error: null as unknown });
  const [round, setRound] = useState(0);
  const key = JSON.stringify([request, round]);
  const isWanted = request.text !== null;
  const evaluate = useEffectEvent((to: string) => {
    const { of, text, fields } = request;
    mutate(
      { ...of, text: text ?? "", ...(fields ?? { headers: null }) },
      {
        onSuccess: (verdicts) => setAnswer({ to, verdicts, error: null }),
        onError: (error) => setAnswer((before) => ({ ...before, to, error })),
      },
    );
  });
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(() => evaluate(key), pauseMs);
    return () => clearTimeout(timer);
  }, [isWanted, key]);
  return { ...answer, isPending: isWanted && answer.to !== key, retry: () => setRound(round + 1) };
}
