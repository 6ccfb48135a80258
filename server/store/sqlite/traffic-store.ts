import type { VerdictOutcome } from "../../contract/verdict.ts";
import type { DeliveryCount, TrafficStore, TrafficWindow, VerdictCount } from "../../ports/store.ts";
import type { SqliteDatabase } from "./database.ts";
import { searchIds } from "./search-ids.ts";
import { summarizeTargets } from "./summarize-targets.ts";
import { dayMs, together } from "./traffic-tally.ts";

export function createTrafficStore(database: SqliteDatabase): TrafficStore {
  const { read } = database;
  return {
    countDeliveries: (p) => read(() => countDeliveries(database, p)),
    countVerdicts: (p) => read(() => countVerdicts(database, p)),
    summarizeTargets: (p) => read(() => summarizeTargets(database, p)),
    searchIds: (p) => read(() => searchIds(database, p)),
  };
}

export const countDeliveriesSql = `
  SELECT t.endpoint, t.at, t.outcome, t.count FROM json_each(@endpoints) e CROSS JOIN traffic t
  WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id = '' AND t.at >= @since AND t.at < @until
  ORDER BY t.at, t.endpoint, t.outcome`;

function countDeliveries({ connection }: SqliteDatabase, p: Parameters<TrafficStore["countDeliveries"]>[0]): DeliveryCount[] {
  const counts = connection.prepare<unknown[], DeliveryCount>(countDeliveriesSql);
  return counts.all({ ...wholeBuckets(p), endpoints: JSON.stringify(p.endpoints === null ? [together] : [...new Set(p.endpoints)]) });
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

function countVerdicts({ connection }: SqliteDatabase, p: Parameters<TrafficStore["countVerdicts"]>[0]): VerdictCount[] {
  const parts = partsOf(wholeBuckets(p));
  const attachments = connection.prepare<unknown[], { endpoint: string; attachmentId: string }>(attachmentsSql);
  const sumVerdicts = connection.prepare<unknown[], Record<VerdictOutcome, number>>(sumVerdictsSql);
  const counts = attachments.all({ bucketMs: p.bucketMs, endpoints: JSON.stringify([...new Set(p.endpoints)]) }).flatMap((attachment) => {
    const sums = parts.map((part) => sumVerdicts.get({ ...part, ...attachment }));
    return outcomes.map((outcome): VerdictCount => ({ attachmentId: attachment.attachmentId, outcome, count: sums.reduce((sum, part) => sum + (part?.[outcome] ?? 0), 0) }));
  });
  return mergeCounts(counts.filter(({ count }) => count > 0));
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

/** An attachment that has moved to another of the endpoints is one still. By attachment and outcome. */
function mergeCounts(counts: VerdictCount[]): VerdictCount[] {
  const merged = new Map<string, VerdictCount>();
  for (const one of counts) {
    const key = `${one.attachmentId} ${one.outcome}`;
    merged.set(key, { ...one, count: one.count + (merged.get(key)?.count ?? 0) });
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

function wholeBuckets({ since, until, bucketMs }: TrafficWindow): TrafficWindow {
  return { since: since - (since % bucketMs), until: until - (until % bucketMs), bucketMs };
}
