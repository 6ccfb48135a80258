"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Verdict } from "../../server/contract/verdict.ts";
import { useTRPC } from "../trpc/trpc.ts";

const pauseMs = 300;

/**
 * What every trigger on an endpoint, or every attachment of one trigger, would say of a text, a moment after the last
 * keystroke. Nothing is sent. `text: null`: no JSON yet.
 */
export function useVerdicts(
  { endpoint, trigger }: { endpoint?: string; trigger?: string },
  text: string | null,
): { verdicts: readonly Verdict[] | null; error: unknown } {
  const trpc = useTRPC();
  // The last answer stays until the next one is there, so that nothing flickers.
  const [verdicts, setVerdicts] = useState<readonly Verdict[] | null>(null);
  const { error, mutate } = useMutation(trpc.triggers.verdicts.mutationOptions({ onSuccess: setVerdicts }));
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => mutate({ endpoint, trigger, text }), pauseMs);
    return () => clearTimeout(timer);
  }, [endpoint, trigger, text, mutate]);
  return { verdicts, error };
}
