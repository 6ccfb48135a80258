import type { RetryPolicy } from "../contract/project/manifest.ts";
import type { CodeExcerpt } from "../contract/timeline.ts";
import type { Json } from "../contract/json.ts";
import type { RunError } from "../contract/run.ts";
import { planRetry } from "../domain/runs/plan-retry.ts";
import type { NewTimelineEntry, RunTransition } from "../ports/store/engine-store.ts";

export interface AttemptFailure {
  error: RunError;
  /** Details, e.g. the paths at which an input does not parse. */
  data?: { [key: string]: Json };
  /** The line of the project's code that caused it. */
  source?: CodeExcerpt | null;
  isTimeout: boolean;
  isRetryable: boolean;
}

/** Plans the next attempt, or the end of the run, after a failed attempt. */
export function planAttemptEnd(p: {
  failure: AttemptFailure;
  /** `null` if the target is not in this build: the run is not retried. */
  policy: RetryPolicy | null;
  attempt: number;
  maxAttempts: number;
  now: number;
  random: () => number;
}): { transition: RunTransition; entries: NewTimelineEntry[] } {
  const { failure, policy, attempt, now } = p;
  const source: { [key: string]: Json } = failure.source ? { source: failure.source } : {};
  const failed: NewTimelineEntry = {
    at: now,
    kind: "attempt_failed",
    attempt,
    error: failure.error,
    ...withData({ ...failure.data, ...source }),
  };
  const plan = policy && failure.isRetryable ? planRetry({ ...p, policy }) : { kind: "exhausted" as const };
  if (plan.kind === "retry") {
    const { availableAt } = plan;
    return {
      transition: { to: "waiting", reason: "retry", availableAt },
      entries: [failed, { at: now, kind: "retry_scheduled", attempt, until: availableAt }],
    };
  }
  const to = failure.isTimeout ? "timed_out" : "failed";
  return {
    transition: { to, error: failure.error },
    entries: [failed, { at: now, kind: to, attempt, error: failure.error, ...withData(source) }],
  };
}

function withData(data: { [key: string]: Json }): Pick<NewTimelineEntry, "data"> {
  return Object.keys(data).length === 0 ? {} : { data };
}
