import type { RetryPolicy } from "../../server/contract/manifest.ts";
import { formatDuration } from "../../server/domain/format.ts";

/** The retry policy of a target: `3 attempts, backoff from 1 s, doubling up to 1 h`. */
export function describeRetries({ attempts, backoff, initialMs, maxMs }: RetryPolicy): string {
  if (attempts === 1) return "1 attempt, no retries";
  if (backoff === "fixed" || initialMs === maxMs || initialMs === 0)
    return `${attempts} attempts, ${initialMs === 0 ? "without delay" : `${formatPause(initialMs)} apart`}`;
  return `${attempts} attempts, backoff from ${formatPause(initialMs)}, doubling up to ${formatPause(maxMs)}`;
}

/** A duration without trailing zeros: `1 s`, not `1.00 s`. */
export function formatPause(ms: number): string {
  return ms >= 1000 && ms < 60_000 && ms % 100 === 0 ? `${ms / 1000} s` : formatDuration(ms);
}
