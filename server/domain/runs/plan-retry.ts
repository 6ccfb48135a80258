import type { RetryPolicy } from "../../contract/project/options.ts";

export type RetryPlan = { kind: "retry"; availableAt: number } | { kind: "exhausted" };

/** What the error of a failed attempt, or of a failed try of a step, says about the next one. */
export interface RetryHint {
  /** `false`: the next one would fail in the same way. */
  isRetryable: boolean;
  /** The requested time of the next one, in place of the policy's wait. */
  retryAt?: number | null | undefined;
}

/** The share by which an exponential wait varies, so that runs that failed together are not retried together. */
const jitter = 0.2;

/** A later `retryAt` counts as this time ahead. */
const maxRequestedMs = 30 * 24 * 3_600_000;

/**
 * Plans the next attempt of a run, or the next try of a step, after a failed one. The wait after attempt n is
 * `initialMs · 2^(n-1)` ± 20 % if exponential, and `initialMs` if fixed; at most `maxMs`. The error can request another
 * time, or exclude a retry.
 */
export function planRetry(p: {
  policy: RetryPolicy;
  /** The failed attempt, from 1. */
  attempt: number;
  maxAttempts: number;
  failure: RetryHint;
  /** The attempts before the run was resumed: the waits begin again with `initialMs`. Default: 0. */
  attemptsBefore?: number;
  now: number;
  /** In [0, 1), as of Math.random. */
  random: () => number;
}): RetryPlan {
  const { failure, now } = p;
  if (p.attempt >= p.maxAttempts || !failure.isRetryable) return { kind: "exhausted" };
  const requested = failure.retryAt ?? null;
  const availableAt =
    requested === null
      ? now + Math.min(p.policy.maxMs, waitMs(p))
      : Math.min(Math.max(now, requested), now + maxRequestedMs);
  return { kind: "retry", availableAt };
}

function waitMs({ policy, attempt, attemptsBefore = 0, random }: Parameters<typeof planRetry>[0]): number {
  if (policy.backoff === "fixed") return policy.initialMs;
  const doubled = Math.min(policy.maxMs, policy.initialMs * 2 ** (attempt - attemptsBefore - 1));
  return Math.round(doubled * (1 - jitter + 2 * jitter * random()));
}
