import { AppError } from "../contract/app-error.ts";
import type { DeliveryOutcome, VerdictOutcome } from "../contract/delivery.ts";
import type { Histogram, Window } from "../contract/traffic.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeliveryFilter } from "../ports/store/delivery-store.ts";
import type { TrafficStore, VerdictBucket } from "../ports/store/traffic-store.ts";
import { type TimeFrame, bucketStarts, frameOfRange, frameOfWindow, storedBuckets } from "./time-frame.ts";

type CountedAs = DeliveryOutcome | VerdictOutcome;

export interface HistogramRequest {
  window?: Window | undefined;
  /** The filter of the list of deliveries. `since` and `until` replace a window. */
  filter: DeliveryFilter;
}

interface Count<Kind extends string> {
  at: number;
  kind: Kind;
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
  "query_mismatch",
  "headers_mismatch",
] as const satisfies VerdictOutcome[];

/**
 * Deliveries over time, in a window that ends now (default: 24 hours) or from `since` to `until`. As far as the
 * counters allow, they match the list with the same filter: by endpoint and outcome, or by a trigger and its verdict.
 */
export async function showHistogram(
  deps: { store: Pick<TrafficStore, "countDeliveries" | "countVerdictBuckets">; clock: Clock },
  { window, filter }: HistogramRequest,
): Promise<Histogram<CountedAs>> {
  const { endpoint, verdict, outcome } = filter;
  const now = deps.clock.now();
  const frame = frameOf(window, filter, now);
  // A trigger that is not in the project and without an endpoint has no counters.
  if (verdict && endpoint !== undefined) {
    const coarse =
      frame.since < now - verdictMinutesMs && frame.bucketMs % hourMs !== 0
        ? frameOfRange(frame.since, frame.until, hourMs)
        : frame;
    const counts = onePerTrigger(
      await deps.store.countVerdictBuckets({ ...storedBuckets(coarse), endpoint, trigger: verdict.trigger }),
    );
    return describeHistogram(coarse, {
      kinds: verdictOrder.filter((one) => verdict.outcomes.includes(one)),
      counts,
      ignored: ignoredBy({ endpoint, verdict }, filter),
      countedSince: null,
    });
  }
  const counts = await deps.store.countDeliveries({
    ...storedBuckets(frame),
    endpoints: endpoint === undefined ? null : [endpoint],
  });
  const kinds = outcomeOrder.filter((one) => outcome === undefined || one === outcome);
  return describeHistogram(frame, {
    kinds,
    counts: counts.map(toCount),
    ignored: ignoredBy({ endpoint, outcome }, filter),
    countedSince: null,
  });
}

/** The fields of the filter that the counters do not have. A verdict is that of the trigger. */
function ignoredBy(counted: DeliveryFilter, given: DeliveryFilter) {
  const { since: _, until: __, ...filter } = given;
  const names = Object.keys(filter) as Exclude<keyof typeof filter, "since" | "until">[];
  const others = names.filter((name) => !Object.hasOwn(counted, name));
  return others.map((name) => (name === "verdict" ? "trigger" : name)).toSorted();
}

/** The attachments of a trigger share its verdict: a delivery to several of them counts once. */
function onePerTrigger(buckets: readonly VerdictBucket[]): Count<CountedAs>[] {
  return [...Map.groupBy(buckets, ({ at, outcome }) => `${at} ${outcome}`).values()].flatMap((same) =>
    same
      .toSorted((a, b) => b.count - a.count)
      .slice(0, 1)
      .map(toCount),
  );
}

function toCount({ at, outcome, count }: { at: number; outcome: CountedAs; count: number }): Count<CountedAs> {
  return { at, kind: outcome, count };
}

export function describeHistogram<Kind extends string>(
  frame: TimeFrame,
  p: {
    kinds: Kind[];
    counts: readonly Count<Kind>[];
    ignored: Histogram<Kind>["ignored"];
    countedSince: number | null;
  },
): Histogram<Kind> {
  const wanted = new Set(p.kinds);
  const byBucket = Map.groupBy(
    p.counts.filter(({ kind }) => wanted.has(kind)),
    ({ at }) => frame.since + Math.floor((at - frame.since) / frame.bucketMs) * frame.bucketMs,
  );
  return {
    since: new Date(frame.since).toISOString(),
    until: new Date(frame.until).toISOString(),
    bucketMs: frame.bucketMs,
    kinds: p.kinds,
    ignored: p.ignored,
    countedSince: p.countedSince === null ? null : new Date(p.countedSince).toISOString(),
    buckets: bucketStarts(frame).map((at) => ({ at: new Date(at).toISOString(), counts: sum(byBucket.get(at) ?? []) })),
  };
}

function sum<Kind extends string>(counts: readonly Count<Kind>[]): Partial<Record<Kind, number>> {
  const sums = new Map<Kind, number>();
  for (const { kind, count } of counts) sums.set(kind, (sums.get(kind) ?? 0) + count);
  // A released delivery is no longer counted as held.
  return Object.fromEntries([...sums].filter(([, count]) => count !== 0)) as Partial<Record<Kind, number>>;
}

/** Throws AppError `invalid_request`: for a window with times, or if they are in the wrong order. */
export function frameOf(
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
