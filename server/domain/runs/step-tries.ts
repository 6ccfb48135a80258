import { z } from "zod";
import { jsonSchema } from "../../contract/json.ts";
import type { RetryPolicy } from "../../contract/project/options.ts";
import { runErrorSchema } from "../../contract/run.ts";
import { planRetry, type RetryHint } from "./plan-retry.ts";

/** The failed tries of a step in one attempt of its run: the stored result of a step that has not completed. */
const failedTriesSchema = z.object({
  tries: z.int().min(1),
  /** Of the last try. */
  error: runErrorSchema,
  failedAt: z.number(),
  /** The failure that the code of the run receives. Absent: a StepError, because the step has retries of its own. */
  thrown: jsonSchema.optional(),
});

export interface FailedTries extends z.infer<typeof failedTriesSchema> {
  /** The time of the next try; `null`: the step has failed permanently. */
  nextAt: number | null;
}

/**
 * The failed tries of a step so far; `null`: none. They count only in the attempt in which they were made: every
 * attempt of the run has all retries of the step.
 */
export function readFailedTries(
  record: { attempt: number; finishedAt: number | null; until: number | null; result: unknown } | undefined,
  attempt: number,
): FailedTries | null {
  if (!record || record.finishedAt !== null || record.attempt !== attempt) return null;
  const parsed = failedTriesSchema.safeParse(record.result);
  return parsed.success ? { ...parsed.data, nextAt: record.until } : null;
}

/** Counts a failed try, and plans the next one. */
export function planNextTry(p: {
  policy: RetryPolicy;
  /** The failed tries before. */
  before: FailedTries | null;
  error: FailedTries["error"];
  failure: RetryHint;
  now: number;
  random: () => number;
}): FailedTries {
  const tries = (p.before?.tries ?? 0) + 1;
  const plan = planRetry({ ...p, attempt: tries, maxAttempts: p.policy.attempts });
  return {
    tries,
    error: p.error,
    failedAt: p.now,
    nextAt: plan.kind === "retry" ? plan.availableAt : null,
  };
}

/** A shorter wait between two tries is not worth a suspension: the run starts again from its first line after one. */
const maxHeldMs = 5_000;

/** Whether a run keeps its worker until the next try of a step. */
export function keepsWorker({
  nextAt,
  now,
  maxMs = maxHeldMs,
}: {
  nextAt: number;
  now: number;
  maxMs?: number | undefined;
}): boolean {
  return nextAt - now <= maxMs;
}
