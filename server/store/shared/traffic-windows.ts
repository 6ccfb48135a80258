import { deliveryOutcomeSchema, type VerdictOutcome, verdictOutcomeSchema } from "../../contract/delivery.ts";
import type {
  DeliveryCount,
  TargetCount,
  TrafficWindow,
  VerdictBucket,
  VerdictCount,
} from "../../ports/store/traffic-store.ts";
import { isOfAnyTrigger, targetSlugOf, type TrafficSum } from "./traffic-counts.ts";

/** The endpoint of the counts of all endpoints together, and the attachment of the deliveries themselves. */
export const together = "";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** Of verdicts alone, so that a week of thousands of attachments is read at once. */
export const dayMs = 24 * hourMs;
/** On busy endpoints with many triggers they would outgrow the deliveries. Nobody asks by the minute what was long ago. */
export const verdictMinutesKeptMs = 48 * hourMs;

export const verdictOutcomes = [
  "disabled",
  "filter_mismatch",
  "matched",
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

/** Whole days are counted as days, and what is over at both ends by the hour. */
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
  /** What was counted and is not in the counters yet. */
  log: ReadonlyMap<string, readonly TrafficSum[]>;
  window: TrafficWindow;
}

/** What the counters say, with what is not in them yet. `endpoints: null`: of all together. */
export function joinDeliveryCounts(
  counted: readonly DeliveryCount[],
  { log, endpoints, window }: Logged & { endpoints: readonly string[] | null },
): DeliveryCount[] {
  const sums =
    endpoints === null
      ? [...log.values()].flat().map((sum) => ({ ...sum, endpoint: together }))
      : endpoints.flatMap((endpoint) => log.get(endpoint) ?? []);
  const logged = sums.flatMap((sum) => toDeliveryCounts(sum, window));
  return addUp([...counted, ...logged], ({ at, outcome, endpoint }) => `${at} ${outcome} ${endpoint}`).sort(byTime);
}

/** What the counters have of an attachment on one endpoint, or (`anyTriggerOf`) of a target. */
export interface CountedVerdicts extends VerdictCount {
  endpoint: string;
}

/**
 * The deliveries of a target are the verdicts of all its triggers, those that the project has no longer, too, with what
 * corrects them.
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
  const targets = all.map(({ endpoint, attachmentId, outcome, count }): TargetCount => ({
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

/** Those that counted something, in the order of their keys. */
function sumsByKey<Count extends { count: number }>(counts: readonly Count[], keyOf: (one: Count) => string): Count[] {
  return addUp(counts, keyOf)
    .filter(({ count }) => count > 0)
    .sort((a, b) => compare(keyOf(a), keyOf(b)));
}

/** Verdicts of a trigger over time: those of its attachments, by bucket. */
export function joinVerdictBuckets(
  counted: readonly VerdictBucket[],
  { log, endpoint, trigger, window }: Logged & { endpoint: string; trigger: string },
): VerdictBucket[] {
  const logged = (log.get(endpoint) ?? [])
    .filter(({ attachmentId }) => attachmentId.startsWith(`${trigger}:`))
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

/** An attachment that has moved to another of the endpoints is one still. */
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

/** Those with the same key as one, in the order in which they came first. */
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
