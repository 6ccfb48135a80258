import { AppError } from "../contract/app-error.ts";
import type { DeliveryOutcome, VerdictOutcome } from "../contract/delivery.ts";
import type { Window } from "../contract/traffic.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeliveryFilter } from "../ports/store/delivery-store.ts";
import type { TrafficStore, VerdictBucket } from "../ports/store/traffic-store.ts";
import { type TimeFrame, bucketStarts, frameOfRange, frameOfWindow, storedBuckets } from "./time-frame.ts";

type CountedAs = DeliveryOutcome | VerdictOutcome;

/** A filter of the list that the counters do not support. */
type IgnoredFilter = "outcome" | "status" | "trigger" | "text";

export interface Histogram {
  since: string;
  until: string;
  bucketMs: number;
  /** The counted categories, from bottom to top: deliveries by outcome, or a trigger's deliveries by its verdict. */
  kinds: CountedAs[];
  /** Requested filters that the numbers ignore. */
  ignored: IgnoredFilter[];
  /** Without gaps; `at` is the start of the bucket, ISO 8601. Zero counts are omitted. */
  buckets: { at: string; counts: Partial<Record<CountedAs, number>> }[];
}

export interface HistogramRequest {
  window?: Window | undefined;
  /** The filter of the list of deliveries. `since` and `until` replace a window. */
  filter: Omit<DeliveryFilter, "redeliveryOf">;
}

interface Count {
  at: number;
  outcome: CountedAs;
  count: number;
}

/** Minute buckets of verdicts are kept for two days. One hour less, so that none is missing. */
const verdictMinutesMs = 47 * 3_600_000;
const hourMs = 3_600_000;
const outcomeOrder = ["accepted", "skipped", "repeated", "held", "rejected"] as const satisfies DeliveryOutcome[];
const verdictOrder = [
  "matched",
  "filter_mismatch",
  "disabled",
  "request_mismatch",
  "headers_mismatch",
] as const satisfies VerdictOutcome[];

/**
 * Deliveries over time, in a window that ends now (default: 24 hours) or from `since` to `until`. As far as the
 * counters allow, they match the list with the same filter: by endpoint and outcome, or by a trigger and its verdict.
 */
export async function showHistogram(
  deps: { store: Pick<TrafficStore, "countDeliveries" | "countVerdictBuckets">; clock: Clock },
  { window, filter }: HistogramRequest,
): Promise<Histogram> {
  const { endpoint, verdict, outcome } = filter;
  const now = deps.clock.now();
  const frame = frameOf(window, filter, now);
  const ignored = [
    filter.responseStatus === undefined ? [] : ["status" as const],
    filter.text === undefined ? [] : ["text" as const],
  ].flat();
  // A trigger that is not in the project and without an endpoint has no counters.
  if (verdict && endpoint !== undefined) {
    const coarse =
      frame.since < now - verdictMinutesMs && frame.bucketMs % hourMs !== 0
        ? frameOfRange(frame.since, frame.until, hourMs)
        : frame;
    const counts = onePerTrigger(
      await deps.store.countVerdictBuckets({ ...storedBuckets(coarse), endpoint, trigger: verdict.trigger }),
    );
    return describe(coarse, {
      kinds: verdictOrder.filter((one) => verdict.outcomes.includes(one)),
      counts,
      ignored: [...(outcome === undefined ? [] : ["outcome" as const]), ...ignored],
    });
  }
  const counts = await deps.store.countDeliveries({
    ...storedBuckets(frame),
    endpoints: endpoint === undefined ? null : [endpoint],
  });
  const kinds = outcomeOrder.filter((one) => outcome === undefined || one === outcome);
  return describe(frame, { kinds, counts, ignored: [...ignored, ...(verdict ? ["trigger" as const] : [])] });
}

/** The attachments of a trigger share its verdict: a delivery to several of them counts once. */
function onePerTrigger(buckets: readonly VerdictBucket[]): Count[] {
  return [...Map.groupBy(buckets, ({ at, outcome }) => `${at} ${outcome}`).values()].flatMap((same) =>
    same.toSorted((a, b) => b.count - a.count).slice(0, 1),
  );
}

function describe(
  frame: TimeFrame,
  p: { kinds: CountedAs[]; counts: readonly Count[]; ignored: IgnoredFilter[] },
): Histogram {
  const wanted = new Set(p.kinds);
  const byBucket = Map.groupBy(
    p.counts.filter(({ outcome }) => wanted.has(outcome)),
    ({ at }) => frame.since + Math.floor((at - frame.since) / frame.bucketMs) * frame.bucketMs,
  );
  return {
    since: new Date(frame.since).toISOString(),
    until: new Date(frame.until).toISOString(),
    bucketMs: frame.bucketMs,
    kinds: p.kinds,
    ignored: p.ignored,
    buckets: bucketStarts(frame).map((at) => ({ at: new Date(at).toISOString(), counts: sum(byBucket.get(at) ?? []) })),
  };
}

function sum(counts: readonly Count[]): Partial<Record<CountedAs, number>> {
  const sums: Partial<Record<CountedAs, number>> = {};
  for (const { outcome, count } of counts) sums[outcome] = (sums[outcome] ?? 0) + count;
  // A released delivery is no longer counted as held.
  for (const outcome of Object.keys(sums) as CountedAs[]) if (sums[outcome] === 0) delete sums[outcome];
  return sums;
}

function frameOf(
  window: Window | undefined,
  { since, until }: Pick<DeliveryFilter, "since" | "until">,
  now: number,
): TimeFrame {
  if (since === undefined && until === undefined) return frameOfWindow(window ?? "24h", now);
  if (window !== undefined) throw new AppError("invalid_request", 'Send "window", or "since" and "until", not both.');
  const end = until ?? now;
  const start = since ?? end - 24 * hourMs;
  if (start >= end) throw new AppError("invalid_request", '"since" must be before "until".');
  return frameOfRange(start, end);
}
