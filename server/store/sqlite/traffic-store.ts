import type { VerdictOutcome } from "../../contract/delivery.ts";
import type { DeliveryCount, TrafficStore, VerdictBucket } from "../../ports/store/traffic-store.ts";
import {
  type CountedVerdicts,
  joinDeliveryCounts,
  joinVerdictBuckets,
  joinVerdictCounts,
  partsOf,
  together,
  verdictOutcomes,
  wholeBuckets,
} from "../shared/traffic-windows.ts";
import type { SqliteDatabase } from "./database.ts";
import { searchIds } from "./search-ids.ts";
import { summarizeTargets } from "./summarize-targets.ts";

export function createTrafficStore(database: SqliteDatabase): TrafficStore {
  // Counters and log are read at one moment: a count could move from the one to the other in between.
  const { readInTurn } = database;
  return {
    countDeliveries: (p) => readInTurn(() => countDeliveries(database, p)),
    countVerdicts: (p) => readInTurn(() => countVerdicts(database, p)),
    countVerdictBuckets: (p) => readInTurn(() => countVerdictBuckets(database, p)),
    summarizeTargets: (p) => readInTurn(() => summarizeTargets(database, p)),
    searchIds: (p) => readInTurn(() => searchIds(database, p)),
  };
}

export const countDeliveriesSql = `
  SELECT t.endpoint, t.at, t.outcome, t.count FROM json_each(@endpoints) e CROSS JOIN traffic t
  WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id = '' AND t.at >= @since AND t.at < @until`;

function countDeliveries(
  { connection, trafficLog }: SqliteDatabase,
  p: Parameters<TrafficStore["countDeliveries"]>[0],
): DeliveryCount[] {
  const window = wholeBuckets(p);
  const endpoints = p.endpoints === null ? [together] : [...new Set(p.endpoints)];
  const counted = connection
    .prepare<unknown[], DeliveryCount>(countDeliveriesSql)
    .all({ ...window, endpoints: JSON.stringify(endpoints) });
  return joinDeliveryCounts(counted, { log: trafficLog(), endpoints: p.endpoints === null ? null : endpoints, window });
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

/** One walk over the window of an attachment. Grouping all of them at once would sort hundreds of thousands of rows. */
export const sumVerdictsSql = `
  SELECT ${verdictOutcomes.map((outcome) => `coalesce(sum(count) FILTER (WHERE outcome = '${outcome}'), 0) AS ${outcome}`).join(", ")} FROM traffic
  WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id = @attachmentId AND at >= @since AND at < @until`;

function countVerdicts(
  database: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): Awaited<ReturnType<TrafficStore["countVerdicts"]>> {
  return joinVerdictCounts(readVerdicts(database, p), {
    log: database.trafficLog(),
    endpoints: [...new Set(p.endpoints)],
    window: wholeBuckets(p),
  });
}

function readVerdicts(
  { connection }: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdicts"]>[0],
): CountedVerdicts[] {
  const parts = partsOf(wholeBuckets(p));
  const attachments = connection.prepare<unknown[], { endpoint: string; attachmentId: string }>(attachmentsSql);
  const sumVerdicts = connection.prepare<unknown[], Record<VerdictOutcome, number>>(sumVerdictsSql);
  return attachments
    .all({ bucketMs: p.bucketMs, endpoints: JSON.stringify([...new Set(p.endpoints)]) })
    .flatMap((attachment) => {
      const sums = parts.map((part) => sumVerdicts.get({ ...part, ...attachment }));
      return verdictOutcomes.map((outcome): CountedVerdicts => ({
        ...attachment,
        outcome,
        count: sums.reduce((sum, part) => sum + (part?.[outcome] ?? 0), 0),
      }));
    });
}

export const verdictBucketsSql = `
  SELECT at, attachment_id AS attachmentId, outcome, count FROM traffic
  WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id > @trigger || ':' AND attachment_id < @trigger || ';' AND at >= @since AND at < @until`;

function countVerdictBuckets(
  { connection, trafficLog }: SqliteDatabase,
  p: Parameters<TrafficStore["countVerdictBuckets"]>[0],
): VerdictBucket[] {
  const { endpoint, trigger } = p;
  const window = wholeBuckets(p);
  const counted = connection.prepare<unknown[], VerdictBucket>(verdictBucketsSql).all({ ...window, endpoint, trigger });
  return joinVerdictBuckets(counted, { log: trafficLog(), endpoint, trigger, window });
}
