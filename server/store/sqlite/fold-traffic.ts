import { type TrafficKey, readTrafficKey } from "../shared/traffic-key.ts";
import { addCounts, type TrafficSum } from "../shared/traffic-counts.ts";
import { dayMs, hourMs, minuteMs, total, verdictMinutesKeptMs } from "../shared/traffic-windows.ts";
import type { Connection } from "./open-connection.ts";
import { logTrafficSql } from "./traffic-tally.ts";

/** Webhooks wait during one batch: some ten milliseconds. */
const maxSums = 400;
const maxRows = 5_000;

export const addTrafficSql = `
  INSERT INTO traffic (bucket_ms, endpoint, attachment_id, at, outcome, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (bucket_ms, endpoint, attachment_id, at, outcome) DO UPDATE SET count = count + excluded.count RETURNING count`;

export const removeMinutesSql = `DELETE FROM traffic WHERE bucket_ms = ${minuteMs} AND endpoint = ? AND attachment_id = ? AND at < ?`;

export const oldestLoggedSql = `SELECT id, counts FROM traffic_log ORDER BY id LIMIT ${maxRows}`;

/**
 * Adds logged counts to the counters, in a write transaction. Counts beyond the limit return to the log as one row, and
 * are folded later with newer ones. Returns whether there is more.
 */
export function prepareFoldTraffic(connection: Connection): () => boolean {
  const oldest = connection.prepare<unknown[], { id: number; counts: string }>(oldestLoggedSql);
  const removeLogged = connection.prepare("DELETE FROM traffic_log WHERE id <= ?");
  const log = connection.prepare(logTrafficSql);
  const addSums = prepareAddSums(connection);
  return () => {
    const rows = oldest.all();
    const last = rows.at(-1);
    if (!last) return false;
    const sums = new Map<string, number>();
    for (const { counts } of rows) addCounts(sums, counts);
    const all = [...sums].filter(([, count]) => count !== 0);
    addSums(all.slice(0, maxSums).map(([key, count]) => ({ ...readTrafficKey(key), count })));
    removeLogged.run(last.id);
    if (all.length > maxSums) log.run(JSON.stringify(all.slice(maxSums)));
    return all.length > maxSums || rows.length === maxRows;
  };
}

function prepareAddSums(connection: Connection): (sums: TrafficSum[]) => void {
  const upsert = connection.prepare<unknown[], number>(addTrafficSql).pluck();
  const removeMinutes = connection.prepare(removeMinutesSql);

  /** Returns the new total of the bucket. */
  function add(bucketMs: number, { endpoint, attachmentId, at, outcome }: TrafficKey, count: number): number {
    return upsert.get(bucketMs, endpoint, attachmentId, at - (at % bucketMs), outcome, count) ?? 0;
  }

  function addVerdicts(key: TrafficKey, count: number): void {
    add(minuteMs, key, count);
    add(dayMs, key, count);
    // This is the first count of its hour, so old minute buckets are removed now.
    if (add(hourMs, key, count) === count)
      removeMinutes.run(key.endpoint, key.attachmentId, key.at - verdictMinutesKeptMs);
  }

  function addDeliveries(key: TrafficKey, count: number): void {
    add(minuteMs, key, count);
    add(hourMs, key, count);
  }

  return (sums) => {
    const deliveries = sums.filter(({ attachmentId }) => attachmentId === total);
    for (const sum of sums) (sum.attachmentId === total ? addDeliveries : addVerdicts)(sum, sum.count);
    for (const same of Map.groupBy(deliveries, ({ at, outcome }) => `${at} ${outcome}`).values()) {
      const [first] = same;
      if (first)
        addDeliveries(
          { ...first, endpoint: total },
          same.reduce((sum, { count }) => sum + count, 0),
        );
    }
  };
}
