"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../trpc/trpc.ts";
import { textOfBody } from "./text-of-body.ts";
import { type RunSubject, endpointOf } from "./run-subject.ts";

export interface FirstText {
  text: string;
  label: string;
}

/**
 * The initial text of a form: from the URL (`from`: a delivery of a trigger, a run of a target), or from the run to
 * replay. `null`: none; `undefined`: loading.
 */
export function useFirstText(
  subject: RunSubject,
  from: string | null,
): { first: FirstText | null | undefined; error: unknown } {
  const trpc = useTRPC();
  const takesBodies = endpointOf(subject) !== null;
  const delivery = useQuery({
    ...trpc.deliveries.get.queryOptions(takesBodies && from !== null ? { id: from } : skipToken),
    meta: { live: false },
  });
  const runId = subject.kind === "replay" ? subject.runId : takesBodies ? null : from;
  const run = useQuery({
    ...trpc.runs.get.queryOptions(runId === null ? skipToken : { id: runId }),
    meta: { live: false },
  });
  if (runId !== null) {
    const value = subject.kind === "replay" && subject.of === "payload" ? run.data?.payload : run.data?.input;
    return { first: run.data && { text: JSON.stringify(value ?? null, null, 2), label: "run" }, error: run.error };
  }
  if (!takesBodies || from === null) return { first: null, error: null };
  return { first: delivery.data && { text: textOfBody(delivery.data.body), label: "delivery" }, error: delivery.error };
}
