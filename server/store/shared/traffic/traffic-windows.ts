import { deliveryOutcomeSchema, type VerdictOutcome, verdictOutcomeSchema } from "../../../contract/delivery.ts";
import type {
  DeliveryCount,
  TargetCount,
  TrafficWindow,
  VerdictBucket,
  VerdictCount,
} from "../../../ports/store/traffic-store.ts";
import { hasTarget, isOfAnyTrigger, isOfTrigger, targetSlugOf, type TrafficSum } from "./traffic-counts.ts";

/** The endpoint in counts over all endpoints, and the attachment in counts of deliveries. */
export const total = "";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** Only verdicts have day buckets, so that a week of thousands of attachments is read quickly. */
export const dayMs = 24 * hourMs;
/**
 * On busy endpoints with many triggers, minute buckets of verdicts would outgrow the deliveries. Old verdicts are not
 * shown by the minute.
 */
export const verdictMinutesKeptMs = 48 * hourMs;

export const verdictOutcomes = [
  "disabled",
  "filter_mismatch",
  "headers_mismatch",
  "matched",
  "query_mismatch",
  "request_mismatch",
] as const satisfies VerdictOutcome[];

export function wholeBuckets({ since, until, bucketMs }: TrafficWindow): TrafficWindow {
  return { since: since - (since % bucketMs), until: until - (until % bucketMs), bucketMs };
}

interface Part {
  since: number;
  until: number;
  bucketMs: number;
}

/** Whole days are read from day buckets, the rest at both ends from hour buckets. */
export function partsOf(window: TrafficWindow): Part[] {
  const firstDay = Math.ceil(window.since / dayMs) * dayMs;
  const lastDay = Math.floor(window.until / dayMs) * dayMs;
  if (window.bucketMs === minuteMs || firstDay >= lastDay) return [window];
  const parts: Part[] = [
    { ...window, until: firstDay },
    { since: firstDay, until: lastDay, bucketMs: dayMs },
    { ...window, since: lastDay },
  ];
  return parts.filter(({ since, until }) => since < until);
}

interface Logged {
  /** Counts that are not in the counters yet. */
  log: ReadonlyMap<string, readonly TrafficSum[]>;
  window: TrafficWindow;
}

/** The counters together with logged counts. `endpoints: null`: the totals of all endpoints. */
export function joinDeliveryCounts(
  counted: readonly DeliveryCount[],
  { log, endpoints, window }: Logged & { endpoints: readonly string[] | null },
): DeliveryCount[] {
  const sums =
    endpoints === null
      ? [...log.values()].flat().map((sum) => ({ ...sum, endpoint: total }))
      : endpoints.flatMap((endpoint) => log.get(endpoint) ?? []);
  const logged = sums.flatMap((sum) => toDeliveryCounts(sum, window));
  return addUp([...counted, ...logged], ({ at, outcome, endpoint }) => `${at} ${outcome} ${endpoint}`).sort(byTime);
}

/** The counters of an attachment on one endpoint, or (`anyTriggerOf`) of a target. */
export interface CountedVerdicts extends VerdictCount {
  endpoint: string;
}

/**
 * The deliveries of a target are the sum of the verdicts of all its triggers, including removed ones, and of their
 * corrections.
 */
export function joinVerdictCounts(
  counted: readonly CountedVerdicts[],
  { log, endpoints, window }: Logged & { endpoints: readonly string[] },
): { verdicts: VerdictCount[]; targets: TargetCount[] } {
  const all = [
    ...counted,
    ...endpoints.flatMap((endpoint) => log.get(endpoint) ?? []).flatMap((sum) => toVerdictCounts(sum, window)),
  ];
  const verdicts = all
    .filter(({ attachmentId }) => !isOfAnyTrigger(attachmentId))
    .map(({ attachmentId, outcome, count }): VerdictCount => ({ attachmentId, outcome, count }));
  const targets = all
    .filter(({ attachmentId }) => hasTarget(attachmentId))
    .map(({ endpoint, attachmentId, outcome, count }): TargetCount => ({
      endpoint,
      target: targetSlugOf(attachmentId),
      outcome,
      count,
    }));
  return {
    verdicts: sumsByKey(verdicts, keyOfVerdict),
    targets: sumsByKey(targets, ({ endpoint, target, outcome }) => `${target} ${outcome} ${endpoint}`),
  };
}

/** The counts above zero, sorted by key. */
function sumsByKey<Count extends { count: number }>(counts: readonly Count[], keyOf: (one: Count) => string): Count[] {
  return addUp(counts, keyOf)
    .filter(({ count }) => count > 0)
    .sort((a, b) => compare(keyOf(a), keyOf(b)));
}

/** Verdicts of a trigger by bucket: the sum over its attachments. */
export function joinVerdictBuckets(
  counted: readonly VerdictBucket[],
  { log, endpoint, trigger, window }: Logged & { endpoint: string; trigger: string },
): VerdictBucket[] {
  const logged = (log.get(endpoint) ?? [])
    .filter(({ attachmentId }) => isOfTrigger(attachmentId, trigger))
    .flatMap((sum) => toVerdictCounts(sum, window));
  const buckets = [...counted, ...logged].map(({ at, attachmentId, outcome, count }): VerdictBucket => ({
    at,
    attachmentId,
    outcome,
    count,
  }));
  return addUp(buckets, (one) => `${one.at} ${keyOfVerdict(one)}`).sort(
    (a, b) => a.at - b.at || compare(keyOfVerdict(a), keyOfVerdict(b)),
  );
}

function byTime(a: DeliveryCount, b: DeliveryCount): number {
  return a.at - b.at || compare(a.endpoint, b.endpoint) || compare(a.outcome, b.outcome);
}

function toDeliveryCounts(
  { endpoint, attachmentId, at, outcome: name, count }: TrafficSum,
  window: TrafficWindow,
): DeliveryCount[] {
  if (attachmentId !== "" || at < window.since || at >= window.until) return [];
  const outcome = deliveryOutcomeSchema.options.find((one) => one === name);
  return outcome ? [{ endpoint, at: at - (at % window.bucketMs), outcome, count }] : [];
}

/** An attachment that moved to another of the endpoints is still the same. */
function keyOfVerdict({ attachmentId, outcome }: VerdictCount): string {
  return `${attachmentId} ${outcome}`;
}

function toVerdictCounts(
  { endpoint, attachmentId, at, outcome: name, count }: TrafficSum,
  window: TrafficWindow,
): (CountedVerdicts & VerdictBucket)[] {
  if (attachmentId === "" || at < window.since || at >= window.until) return [];
  const outcome = verdictOutcomeSchema.options.find((one) => one === name);
  return outcome ? [{ endpoint, attachmentId, at: at - (at % window.bucketMs), outcome, count }] : [];
}

/** Sums counts with the same key, in the order of their first occurrence. */
function addUp<Count extends { count: number }>(counts: readonly Count[], keyOf: (one: Count) => string): Count[] {
  const sums = new Map<string, Count>();
  for (const one of counts) {
    const key = keyOf(one);
    sums.set(key, { ...one, count: one.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
