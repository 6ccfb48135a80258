import { AppError } from "../contract/app-error.ts";
import type { Window } from "../contract/window.ts";
import type { Clock } from "../ports/clock.ts";
import type { TrafficStore } from "../ports/store.ts";
import { type OutcomeCounts, sumOutcomes } from "./sum-outcomes.ts";
import { type TimeFrame, bucketStarts, frameOfRange, frameOfWindow, storedBuckets } from "./time-frame.ts";

export interface Histogram {
  since: string;
  until: string;
  bucketMs: number;
  /** Without gaps; `at` is the start of the bucket, ISO 8601. */
  buckets: ({ at: string } & OutcomeCounts)[];
}

export interface HistogramRequest {
  window?: Window | undefined;
  /** UTC milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  endpoint?: string | undefined;
}

/** Deliveries over time by outcome, on one endpoint or on all: over a window that ends now (24 hours unless said), or from `since` to `until`. */
export async function showHistogram(deps: { store: Pick<TrafficStore, "countDeliveries">; clock: Clock }, request: HistogramRequest): Promise<Histogram> {
  const frame = frameOf(request, deps.clock.now());
  const counts = await deps.store.countDeliveries({ ...storedBuckets(frame), endpoints: request.endpoint === undefined ? null : [request.endpoint] });
  const byBucket = Map.groupBy(counts, ({ at }) => frame.since + Math.floor((at - frame.since) / frame.bucketMs) * frame.bucketMs);
  return {
    since: new Date(frame.since).toISOString(),
    until: new Date(frame.until).toISOString(),
    bucketMs: frame.bucketMs,
    buckets: bucketStarts(frame).map((at) => ({ at: new Date(at).toISOString(), ...sumOutcomes(byBucket.get(at) ?? []) })),
  };
}

function frameOf({ window, since, until }: HistogramRequest, now: number): TimeFrame {
  if (since === undefined && until === undefined) return frameOfWindow(window ?? "24h", now);
  if (window !== undefined) throw new AppError("invalid_request", 'Send "window", or "since" and "until", not both.');
  const end = until ?? now;
  const start = since ?? end - 24 * 3_600_000;
  if (start >= end) throw new AppError("invalid_request", '"since" must be before "until".');
  return frameOfRange(start, end);
}
