import type { RetryPolicy } from "../../contract/project/manifest.ts";

export type RetryPlan = { kind: "retry"; availableAt: number } | { kind: "exhausted" };

/** The share by which an exponential wait varies, so that runs that failed together are not retried together. */
const jitter = 0.2;

/**
 * Plans the time of the next attempt after a failed one. The wait after attempt n is `initialMs · 2^(n-1)` ± 20 % if
 * exponential, and `initialMs` if fixed; at most `maxMs`.
 */
export function planRetry(p: {
  policy: RetryPolicy;
  /** The failed attempt, from 1. */
  attempt: number;
  maxAttempts: number;
  /** The attempts before the run was resumed: the waits begin again with `initialMs`. Default: 0. */
  attemptsBefore?: number;
  now: number;
  /** In [0, 1), as of Math.random. */
  random: () => number;
}): RetryPlan {
  if (p.attempt >= p.maxAttempts) return { kind: "exhausted" };
  return { kind: "retry", availableAt: p.now + Math.min(p.policy.maxMs, waitMs(p)) };
}

function waitMs({ policy, attempt, attemptsBefore = 0, random }: Parameters<typeof planRetry>[0]): number {
  if (policy.backoff === "fixed") return policy.initialMs;
  const doubled = Math.min(policy.maxMs, policy.initialMs * 2 ** (attempt - attemptsBefore - 1));
  return Math.round(doubled * (1 - jitter + 2 * jitter * random()));
}
