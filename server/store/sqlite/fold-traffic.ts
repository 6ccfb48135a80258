import { type TrafficKey, readTrafficKey } from "../shared/traffic-key.ts";
import { addCounts, type TrafficSum } from "../shared/traffic-counts.ts";
import { dayMs, hourMs, minuteMs, together, verdictMinutesKeptMs } from "../shared/traffic-windows.ts";
import type { Connection } from "./open-connection.ts";
import { logTrafficSql } from "./traffic-tally.ts";

/** Webhooks wait meanwhile: some ten milliseconds. */
const mostSums = 400;
const mostRows = 5_000;

export const addTrafficSql = `
  INSERT INTO traffic (bucket_ms, endpoint, attachment_id, at, outcome, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (bucket_ms, endpoint, attachment_id, at, outcome) DO UPDATE SET count = count + excluded.count RETURNING count`;

export const forgetMinutesSql = `DELETE FROM traffic WHERE bucket_ms = ${minuteMs} AND endpoint = ? AND attachment_id = ? AND at < ?`;

export const oldestLoggedSql = `SELECT id, counts FROM traffic_log ORDER BY id LIMIT ${mostRows}`;

/**
 * Adds what was counted to the counters; inside a write transaction. What is too much for one goes back to the log as
 * one row, where it waits together with what comes meanwhile. Says whether there is more.
 */
export function prepareFoldTraffic(connection: Connection): () => boolean {
  const oldest = connection.prepare<unknown[], { id: number; counts: string }>(oldestLoggedSql);
  const forget = connection.prepare("DELETE FROM traffic_log WHERE id <= ?");
  const log = connection.prepare(logTrafficSql);
  const addSums = prepareAddSums(connection);
  return () => {
    const rows = oldest.all();
    const last = rows.at(-1);
    if (!last) return false;
    const sums = new Map<string, number>();
    for (const { counts } of rows) addCounts(sums, counts);
    const all = [...sums].filter(([, count]) => count !== 0);
    addSums(all.slice(0, mostSums).map(([key, count]) => ({ ...readTrafficKey(key), count })));
    forget.run(last.id);
    if (all.length > mostSums) log.run(JSON.stringify(all.slice(mostSums)));
    return all.length > mostSums || rows.length === mostRows;
  };
}

function prepareAddSums(connection: Connection): (sums: TrafficSum[]) => void {
  const upsert = connection.prepare<unknown[], number>(addTrafficSql).pluck();
  const forgetMinutes = connection.prepare(forgetMinutesSql);

  /** Gives what the bucket has counted in all. */
  function add(bucketMs: number, { endpoint, attachmentId, at, outcome }: TrafficKey, count: number): number {
    return upsert.get(bucketMs, endpoint, attachmentId, at - (at % bucketMs), outcome, count) ?? 0;
  }

  function addVerdicts(key: TrafficKey, count: number): void {
    add(minuteMs, key, count);
    add(dayMs, key, count);
    // The first in its hour: a good time to clear away behind it.
    if (add(hourMs, key, count) === count)
      forgetMinutes.run(key.endpoint, key.attachmentId, key.at - verdictMinutesKeptMs);
  }

  function addDeliveries(key: TrafficKey, count: number): void {
    add(minuteMs, key, count);
    add(hourMs, key, count);
  }

  return (sums) => {
    const deliveries = sums.filter(({ attachmentId }) => attachmentId === together);
    for (const sum of sums) (sum.attachmentId === together ? addDeliveries : addVerdicts)(sum, sum.count);
    for (const same of Map.groupBy(deliveries, ({ at, outcome }) => `${at} ${outcome}`).values()) {
      const [first] = same;
      if (first)
        addDeliveries(
          { ...first, endpoint: together },
          same.reduce((sum, { count }) => sum + count, 0),
        );
    }
  };
}
