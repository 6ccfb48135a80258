"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Verdict } from "../../server/contract/verdict.ts";
import { useTRPC } from "../trpc/trpc.ts";

const pauseMs = 300;

/** What every trigger asked about would say of a text, once nobody has typed for a moment. Nothing is sent. `text: null`: no JSON yet. */
export function useVerdicts(about: { endpoint: string } | { trigger: string } | null, text: string | null): { verdicts: readonly Verdict[] | null; error: unknown } {
  const trpc = useTRPC();
  // The last answer stays until the next one is there, so that nothing flickers.
  const [verdicts, setVerdicts] = useState<readonly Verdict[] | null>(null);
  const { error, mutate } = useMutation(trpc.triggers.verdicts.mutationOptions({ onSuccess: setVerdicts }));
  const asked = about && ("endpoint" in about ? about.endpoint : about.trigger);
  const isEndpoint = about !== null && "endpoint" in about;
  useEffect(() => {
    if (asked === null || text === null) return;
    const timer = setTimeout(() => mutate(isEndpoint ? { endpoint: asked, text } : { trigger: asked, text }), pauseMs);
    return () => clearTimeout(timer);
  }, [asked, isEndpoint, text, mutate]);
  return { verdicts, error };
}
