import type { DeliveryCount, TrafficStore, TrafficWindow, VerdictCount } from "../../ports/store.ts";
import type { SqliteDatabase } from "./database.ts";
import { searchIds } from "./search-ids.ts";
import { summarizeTargets } from "./summarize-targets.ts";
import { together } from "./traffic-tally.ts";

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

/** Jumps from one attachment of an endpoint to the next, and sums up the window of each. */
export const countVerdictsSql = `
  WITH RECURSIVE attachment(endpoint, id) AS (
    SELECT e.value, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = e.value AND t.attachment_id > '')
    FROM json_each(@endpoints) e
    UNION ALL
    SELECT a.endpoint, (SELECT min(t.attachment_id) FROM traffic t WHERE t.bucket_ms = @bucketMs AND t.endpoint = a.endpoint AND t.attachment_id > a.id)
    FROM attachment a WHERE a.id IS NOT NULL
  )
  SELECT t.attachment_id AS attachmentId, t.outcome, sum(t.count) AS count FROM attachment a CROSS JOIN traffic t
  WHERE t.bucket_ms = @bucketMs AND t.endpoint = a.endpoint AND t.attachment_id = a.id AND t.at >= @since AND t.at < @until
  GROUP BY t.attachment_id, t.outcome ORDER BY t.attachment_id, t.outcome`;

function countVerdicts({ connection }: SqliteDatabase, p: Parameters<TrafficStore["countVerdicts"]>[0]): VerdictCount[] {
  const counts = connection.prepare<unknown[], VerdictCount>(countVerdictsSql);
  return counts.all({ ...wholeBuckets(p), endpoints: JSON.stringify([...new Set(p.endpoints)]) });
}

function wholeBuckets({ since, until, bucketMs }: TrafficWindow): TrafficWindow {
  return { since: since - (since % bucketMs), until: until - (until % bucketMs), bucketMs };
}
