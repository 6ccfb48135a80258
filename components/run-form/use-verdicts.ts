"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Verdict } from "../../server/contract/verdict.ts";
import { useTRPC } from "../trpc/trpc.ts";

const pauseMs = 300;

/** What every trigger on an endpoint would say of a text, once nobody has typed for a moment. Nothing is sent. `text: null`: no JSON yet. */
export function useVerdicts(endpoint: string, text: string | null): { verdicts: readonly Verdict[] | null; error: unknown } {
  const trpc = useTRPC();
  // The last answer stays until the next one is there, so that nothing flickers.
  const [verdicts, setVerdicts] = useState<readonly Verdict[] | null>(null);
  const { error, mutate } = useMutation(trpc.triggers.verdicts.mutationOptions({ onSuccess: setVerdicts }));
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => mutate({ endpoint, text }), pauseMs);
    return () => clearTimeout(timer);
  }, [endpoint, text, mutate]);
  return { verdicts, error };
}
