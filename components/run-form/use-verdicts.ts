"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Verdict } from "../../server/contract/delivery.ts";
import { useTRPC } from "../trpc/trpc.ts";

const pauseMs = 300;

/**
 * The verdicts of every trigger on an endpoint, or of every attachment of one trigger, for a text. Evaluated shortly
 * after the last keystroke, without a delivery. `text: null`: not valid JSON.
 */
export function useVerdicts(
  { endpoint, trigger }: { endpoint?: string; trigger?: string },
  text: string | null,
): { verdicts: readonly Verdict[] | null; error: unknown } {
  const trpc = useTRPC();
  // The last verdicts stay until the next ones arrive, so that nothing flickers.
  const [verdicts, setVerdicts] = useState<readonly Verdict[] | null>(null);
  const { error, mutate } = useMutation(trpc.triggers.verdicts.mutationOptions({ onSuccess: setVerdicts }));
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => mutate({ endpoint, trigger, text }), pauseMs);
    return () => clearTimeout(timer);
  }, [endpoint, trigger, text, mutate]);
  return { verdicts, error };
}
