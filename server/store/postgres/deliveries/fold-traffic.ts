import { readTrafficKey, type TrafficKey, type TrafficSum } from "../../shared/traffic/traffic-counts.ts";
import { dayMs, hourMs, minuteMs, total, verdictMinutesKeptMs } from "../../shared/traffic/traffic-windows.ts";
import { inPortions } from "../statements/in-portions.ts";
import type { Session } from "../connection/session.ts";
import { sumLog } from "./traffic-store.ts";

/** A fold delays only the next fold. */
const maxSums = 2_000;
const maxRows = 5_000;

const takeLogSql = `
  DELETE FROM traffic_log WHERE id IN (SELECT id FROM traffic_log ORDER BY id LIMIT ${maxRows}) RETURNING counts`;

/**
 * Adds logged counts to the counters, in a transaction. Counts beyond the limit return to the log as one row, and are
 * folded later with newer ones. Returns whether there is more. One process folds at a time: two would lock the same
 * counters in different orders.
 */
export async function foldTraffic(session: Session): Promise<boolean> {
  const [lock] = await session.rows<{ taken: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended('signalbox fold', 0)) AS taken",
  );
  if (!lock?.taken) return false;
  const rows = await session.rows<{ counts: string }>(takeLogSql);
  const all = [...sumLog(rows)].filter(([, count]) => count !== 0);
  await addSums(
    session,
    all.slice(0, maxSums).map(([key, count]) => ({ ...readTrafficKey(key), count })),
  );
  if (all.length > maxSums)
    await session.change("INSERT INTO traffic_log (counts) VALUES ($1)", [JSON.stringify(all.slice(maxSums))]);
  return all.length > maxSums || rows.length === maxRows;
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
  INSERT INTO traffic (bucket_ms, endpoint, attachment_id, at, outcome, count)
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

async function forgetMinutes(session: Session, begun: readonly TrafficKey[]): Promise<void> {
  if (begun.length === 0) return;
  await session.change(
    `DELETE FROM traffic USING unnest($1::text[], $2::text[], $3::bigint[]) AS b (endpoint, attachment_id, before)
     WHERE bucket_ms = ${minuteMs} AND traffic.endpoint = b.endpoint AND traffic.attachment_id = b.attachment_id AND at < b.before`,
    [
      begun.map(({ endpoint }) => endpoint),
      begun.map(({ attachmentId }) => attachmentId),
      begun.map(({ at }) => at - verdictMinutesKeptMs),
    ],
  );
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
