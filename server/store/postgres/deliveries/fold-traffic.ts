import { addCounts, readTrafficKey, type TrafficKey, type TrafficSum } from "../../shared/traffic/traffic-counts.ts";
import { dayMs, hourMs, minuteMs, total, verdictMinutesKeptMs } from "../../shared/traffic/traffic-windows.ts";
import { inPortions } from "../statements/in-portions.ts";
import { insertRows } from "../statements/insert-rows.ts";
import { trafficLog } from "../schema.ts";
import type { Session } from "../connection/session.ts";

/** A fold delays only the next fold. */
const maxSums = 2_000;
const maxRows = 5_000;
/** Rows are read until they have this number of different counts. */
const maxRead = 2 * maxSums;
const rowsAtOnce = 500;
/** Counts beyond the limit return to the log in rows of this size, about that of a batch of webhooks. */
const maxSumsOfRow = 200;

const oldestSql = `SELECT id, counts FROM signalbox.traffic_log WHERE id > $1 ORDER BY id LIMIT ${rowsAtOnce}`;

/**
 * Adds logged counts to the counters, in a transaction. Counts beyond the limit return to the log, and are folded later
 * with newer ones. Returns whether there is more. One process folds at a time: two would lock the same counters in
 * different orders.
 */
export async function foldTraffic(session: Session): Promise<boolean> {
  const [lock] = await session.rows<{ taken: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended('signalbox fold', 0)) AS taken",
  );
  if (!lock?.taken) return false;
  const { ids, sums, hasMore } = await readOldest(session);
  if (ids.length === 0) return false;
  const all = [...sums].filter(([, count]) => count !== 0);
  const rest = all.slice(maxSums);
  await addSums(
    session,
    all.slice(0, maxSums).map(([key, count]) => ({ ...readTrafficKey(key), count })),
  );
  // A transaction that began earlier can still add a lower id.
  await session.change("DELETE FROM signalbox.traffic_log WHERE id = ANY($1::bigint[])", [ids]);
  await insertRows(
    session,
    trafficLog,
    Array.from({ length: Math.ceil(rest.length / maxSumsOfRow) }, (_, at) => ({
      counts: JSON.stringify(rest.slice(at * maxSumsOfRow, (at + 1) * maxSumsOfRow)),
    })),
  );
  return rest.length > 0 || hasMore;
}

/** The oldest rows of the log, and the sums of their counts. */
async function readOldest(session: Session): Promise<{ ids: number[]; sums: Map<string, number>; hasMore: boolean }> {
  const ids: number[] = [];
  const sums = new Map<string, number>();
  for (;;) {
    const rows = await session.rows<{ id: number; counts: string }>(oldestSql, [ids.at(-1) ?? 0]);
    for (const { id, counts } of rows) {
      addCounts(sums, counts);
      ids.push(id);
      if (sums.size >= maxRead) return { ids, sums, hasMore: true };
    }
    if (rows.length < rowsAtOnce) return { ids, sums, hasMore: false };
    if (ids.length >= maxRows) return { ids, sums, hasMore: true };
  }
}

interface Counter {
  bucketMs: number;
  endpoint: string;
  attachmentId: string;
  at: number;
  outcome: string;
  count: number;
}

const addCountersSql = `
  INSERT INTO signalbox.traffic (bucket_ms, endpoint, attachment_id, at, outcome, count)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
  ON CONFLICT (bucket_ms, endpoint, attachment_id, at, outcome) DO UPDATE SET count = traffic.count + excluded.count
  RETURNING bucket_ms AS "bucketMs", endpoint, attachment_id AS "attachmentId", at, outcome, xmax = 0 AS "isNew"`;

async function addSums(session: Session, sums: readonly TrafficSum[]): Promise<void> {
  const counters = addUp(sums.flatMap(countersOf));
  for (const portion of inPortions(counters)) {
    const values = [
      portion.map((c) => c.bucketMs),
      portion.map((c) => c.endpoint),
      portion.map((c) => c.attachmentId),
      portion.map((c) => c.at),
      portion.map((c) => c.outcome),
      portion.map((c) => c.count),
    ];
    const added = await session.rows<Omit<Counter, "count"> & { isNew: boolean }>(addCountersSql, values);
    // These are the first counts of their hours, so old minute buckets are removed now.
    const begun = added.filter(
      ({ isNew, bucketMs, attachmentId }) => isNew && bucketMs === hourMs && attachmentId !== total,
    );
    await forgetMinutes(session, begun);
  }
}

/** One look into the primary key for each counter: without `OFFSET 0`, Postgres may join all minutes with all counters. */
const forgetMinutesSql = `
  DELETE FROM signalbox.traffic WHERE ctid = ANY(ARRAY(
    SELECT old.ctid FROM unnest($1::text[], $2::text[], $3::bigint[]) AS b (endpoint, attachment_id, before)
    CROSS JOIN LATERAL (
      SELECT t.ctid FROM signalbox.traffic t
      WHERE t.bucket_ms = ${minuteMs} AND t.endpoint = b.endpoint AND t.attachment_id = b.attachment_id AND t.at < b.before OFFSET 0
    ) AS old
  ))`;

async function forgetMinutes(session: Session, begun: readonly TrafficKey[]): Promise<void> {
  if (begun.length === 0) return;
  await session.change(forgetMinutesSql, [
    begun.map(({ endpoint }) => endpoint),
    begun.map(({ attachmentId }) => attachmentId),
    begun.map(({ at }) => at - verdictMinutesKeptMs),
  ]);
}

/**
 * Deliveries are counted by minute and hour, for their endpoint and for all endpoints. Verdicts are also counted by
 * day.
 */
function countersOf({ endpoint, attachmentId, at, outcome, count }: TrafficSum): Counter[] {
  const isDelivery = attachmentId === total;
  const buckets = isDelivery ? [minuteMs, hourMs] : [minuteMs, hourMs, dayMs];
  const endpoints = isDelivery ? [endpoint, total] : [endpoint];
  return buckets.flatMap((bucketMs) =>
    endpoints.map((on) => ({ bucketMs, endpoint: on, attachmentId, at: at - (at % bucketMs), outcome, count })),
  );
}

function addUp(counters: readonly Counter[]): Counter[] {
  const sums = new Map<string, Counter>();
  for (const counter of counters) {
    const { bucketMs, endpoint, attachmentId, at, outcome } = counter;
    const key = JSON.stringify([bucketMs, endpoint, attachmentId, at, outcome]);
    sums.set(key, { ...counter, count: counter.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}
