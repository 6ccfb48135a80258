import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { type VerdictOutcome, verdictOutcomeSchema } from "../../contract/verdict.ts";
import type { DeliveryCount, TrafficStore, TrafficWindow, VerdictCount } from "../../ports/store.ts";
import type { SqliteDatabase } from "./database.ts";
import { dayMs, together } from "./fold-traffic.ts";
import { searchIds } from "./search-ids.ts";
import { summarizeTargets } from "./summarize-targets.ts";
import type { TrafficSum } from "./traffic-log.ts";

export function createTrafficStore(database: SqliteDatabase): TrafficStore {
  const { read } = database;
  // Counters and log are read in one transaction: a count could move from the one to the other in between.
  const atOnce = <Result>(verb: () => Result) => read(database.connection.transaction(verb));
  return {
    countDeliveries: (p) => atOnce(() => countDeliveries(database, p)),
    countVerdicts: (p) => atOnce(() => countVerdicts(database, p)),
    summarizeTargets: (p) => read(() => summarizeTargets(database, p)),
    searchIds: (p) => read(() => searchIds(database, p)),
  };
}

export const countDeliveriesSql = `
  SELECT t.endpoint, t.at, t.outcome, t.count FROM json_each(@endpoints) e CROSS JOIN traffic t
  WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id = '' AND t.at >= @since AND t.at < @until`;

function countDeliveries({ connection, trafficLog }: SqliteDatabase, p: Parameters<TrafficStore["countDeliveries"]>[0]): DeliveryCount[] {
  const window = wholeBuckets(p);
  const endpoints = p.endpoints === null ? [together] : [...new Set(p.endpoints)];
  const counted = connection.prepare<unknown[], DeliveryCount>(countDeliveriesSql).all({ ...window, endpoints: JSON.stringify(endpoints) });
  const log = trafficLog();
  const sums = p.endpoints === null ? [...log.values()].flat().map((sum) => ({ ...sum, endpoint: together })) : endpoints.flatMap((endpoint) => log.get(endpoint) ?? []);
  const logged = sums.flatMap((sum) => toDeliveryCounts(sum, window));
  return addUp([...counted, ...logged], ({ at, outcome, endpoint }) => `${at} ${outcome} ${endpoint}`).sort(byTime);
}

function byTime(a: DeliveryCount, b: DeliveryCount): number {
  return a.at - b.at || compare(a.endpoint, b.endpoint) || compare(a.outcome, b.outcome);
}

function toDeliveryCounts({ endpoint, attachmentId, at, outcome: name, count }: TrafficSum, window: TrafficWindow): DeliveryCount[] {
  if (attachmentId !== "" || at < window.since || at >= window.until) return [];
  const outcome = deliveryOutcomeSchema.options.find((one) => one === name);
  return outcome ? [{ endpoint, at: at - (at % window.bucketMs), outcome, count }] : [];
}

/** Jumps from one attachment of an endpoint to the next. */
export const attachmentsSql = `
  WITH RECURSIVE attachment(endpoint, id) AS (
    SELECT e.value, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id > '')
    FROM json_each(@endpoints) e
    UNION ALL
    SELECT a.endpoint, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = a.endpoint AND t.attachment_id > a.id)
    FROM attachment a WHERE a.id IS NOT NULL
  )
  SELECT endpoint, id AS attachmentId FROM attachment WHERE id IS NOT NULL`;

const outcomes = ["disabled", "filter_mismatch", "matched", "request_mismatch"] as const satisfies VerdictOutcome[];

/** One walk over the window of an attachment. Grouping all of them at once would sort hundreds of thousands of rows. */
export const sumVerdictsSql = `
  SELECT ${outcomes.map((outcome) => `coalesce(sum(count) FILTER (WHERE outcome = '${outcome}'), 0) AS ${outcome}`).join(", ")} FROM traffic
  WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id = @attachmentId AND at >= @since AND at < @until`;

function countVerdicts({ connection, trafficLog }: SqliteDatabase, p: Parameters<TrafficStore["countVerdicts"]>[0]): VerdictCount[] {
  const window = wholeBuckets(p);
  const parts = partsOf(window);
  const endpoints = [...new Set(p.endpoints)];
  const attachments = connection.prepare<unknown[], { endpoint: string; attachmentId: string }>(attachmentsSql);
  const sumVerdicts = connection.prepare<unknown[], Record<VerdictOutcome, number>>(sumVerdictsSql);
  const counted = attachments.all({ bucketMs: p.bucketMs, endpoints: JSON.stringify(endpoints) }).flatMap((attachment) => {
    const sums = parts.map((part) => sumVerdicts.get({ ...part, ...attachment }));
    return outcomes.map((outcome): VerdictCount => ({ attachmentId: attachment.attachmentId, outcome, count: sums.reduce((sum, part) => sum + (part?.[outcome] ?? 0), 0) }));
  });
  const log = trafficLog();
  const logged = endpoints.flatMap((endpoint) => log.get(endpoint) ?? []).flatMap((sum) => toVerdictCounts(sum, window));
  return addUp([...counted.filter(({ count }) => count > 0), ...logged], keyOfVerdict).sort((a, b) => compare(keyOfVerdict(a), keyOfVerdict(b)));
}

/** An attachment that has moved to another of the endpoints is one still. */
function keyOfVerdict({ attachmentId, outcome }: VerdictCount): string {
  return `${attachmentId} ${outcome}`;
}

function toVerdictCounts({ attachmentId, at, outcome: name, count }: TrafficSum, window: TrafficWindow): VerdictCount[] {
  if (attachmentId === "" || at < window.since || at >= window.until) return [];
  const outcome = verdictOutcomeSchema.options.find((one) => one === name);
  return outcome ? [{ attachmentId, outcome, count }] : [];
}

interface Part {
  since: number;
  until: number;
  bucketMs: number;
}

/** Whole days are counted as days, and what is over at both ends by the hour. */
function partsOf(window: TrafficWindow): Part[] {
  const firstDay = Math.ceil(window.since / dayMs) * dayMs;
  const lastDay = Math.floor(window.until / dayMs) * dayMs;
  if (window.bucketMs === 60_000 || firstDay >= lastDay) return [window];
  const parts: Part[] = [
    { ...window, until: firstDay },
    { since: firstDay, until: lastDay, bucketMs: dayMs },
    { ...window, since: lastDay },
  ];
  return parts.filter(({ since, until }) => since < until);
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

function wholeBuckets({ since, until, bucketMs }: TrafficWindow): TrafficWindow {
  return { since: since - (since % bucketMs), until: until - (until % bucketMs), bucketMs };
}
