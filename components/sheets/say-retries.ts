import type { RetryPolicy } from "../../server/contract/project/manifest.ts";
import { formatInterval } from "../../server/domain/format.ts";

/** The retry policy of a target: `3 attempts, backoff from 1 s, doubling up to 1 h`. */
export function describeRetries({ attempts, backoff, initialMs, maxMs }: RetryPolicy): string {
  if (attempts === 1) return "1 attempt, no retries";
  if (backoff === "fixed" || initialMs === maxMs || initialMs === 0)
    return `${attempts} attempts, ${initialMs === 0 ? "without delay" : `${formatInterval(initialMs)} apart`}`;
  return `${attempts} attempts, backoff from ${formatInterval(initialMs)}, doubling up to ${formatInterval(maxMs)}`;
}
