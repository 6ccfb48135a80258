import {
  addCounts,
  byEndpoint,
  type CountTraffic,
  createTrafficCounts,
  readTrafficKey,
  type TrafficKey,
  type TrafficSum,
} from "../../shared/traffic/traffic-counts.ts";
import { dayMs, hourMs, minuteMs, total, verdictMinutesKeptMs } from "../../shared/traffic/traffic-windows.ts";
import type { Connection } from "../file/open-connection.ts";

/** Counts the deliveries that the operations of one transaction record. */
interface TrafficTally {
  /** Discards the counts of a previous attempt, which was rolled back. */
  begin(): void;
  add: CountTraffic;
  /** Writes the counts in the transaction that records the deliveries. Returns their number. */
  write(): number;
}

/**
 * A commit appends one row with all its counts, because senders wait for it. The counters are in distant pages, several
 * for each count; foldTraffic updates them later, for many commits at a time.
 */
const logTrafficSql = "INSERT INTO traffic_log (counts) VALUES (?)";

export function createTrafficTally(connection: Connection): TrafficTally {
  const log = connection.prepare(logTrafficSql);
  const counts = createTrafficCounts();
  return {
    begin: counts.clear,
    add: counts.add,
    write() {
      if (counts.size() > 0) log.run(counts.toText());
      return counts.size();
    },
  };
}

// ---- reading: the counts that are not in the table `traffic` yet ----

export const logRangeSql = "SELECT min(id) AS first, max(id) AS last FROM traffic_log";
export const hasLoggedSql = "SELECT EXISTS (SELECT 1 FROM traffic_log)";
export const logRowsSql = "SELECT counts FROM traffic_log WHERE id > ?";

/**
 * Counts that are not added to the counters yet, by endpoint. Rows do not change and ids are never reused, so each row
 * is read once.
 */
export function createTrafficLogReader(connection: Connection): () => ReadonlyMap<string, readonly TrafficSum[]> {
  const range = connection.prepare<unknown[], { first: number | null; last: number | null }>(logRangeSql);
  const rowsAfter = connection.prepare<unknown[], string>(logRowsSql).pluck();
  let known: { first: number | null; last: number | null } = { first: null, last: null };
  let sums = new Map<string, number>();
  let logged = new Map<string, TrafficSum[]>();
  return () => {
    const now = range.get() ?? { first: null, last: null };
    if (now.first === known.first && now.last === known.last) return logged;
    if (now.first !== known.first) sums = new Map();
    for (const counts of rowsAfter.iterate(now.first === known.first ? known.last : 0)) addCounts(sums, counts);
    logged = byEndpoint(sums);
    known = now;
    return logged;
  };
}

// ---- folding: adding them to the table `traffic` ----

/** Webhooks wait during one batch: some ten milliseconds. */
const maxSums = 400;
const maxRows = 5_000;
/** Rows are read until they have this number of different counts. */
const maxRead = 5 * maxSums;

export const addTrafficSql = `
  INSERT INTO traffic (bucket_ms, endpoint, attachment_id, at, outcome, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (bucket_ms, endpoint, attachment_id, at, outcome) DO UPDATE SET count = count + excluded.count RETURNING count`;

export const removeMinutesSql = `DELETE FROM traffic WHERE bucket_ms = ${minuteMs} AND endpoint = ? AND attachment_id = ? AND at < ?`;

export const oldestLoggedSql = `SELECT id, counts FROM traffic_log ORDER BY id LIMIT ${maxRows}`;

/**
 * Adds logged counts to the counters, in a write transaction. Counts beyond the limit return to the log, in rows of the
 * size of a batch, and are folded later with newer ones. Returns whether there is more.
 */
export function prepareFoldTraffic(connection: Connection): () => boolean {
  const oldest = connection.prepare<unknown[], { id: number; counts: string }>(oldestLoggedSql);
  const removeLogged = connection.prepare("DELETE FROM traffic_log WHERE id <= ?");
  const log = connection.prepare(logTrafficSql);
  const addSums = prepareAddSums(connection);
  return () => {
    const sums = new Map<string, number>();
    let rows = 0;
    let last: number | null = null;
    for (const { id, counts } of oldest.iterate()) {
      addCounts(sums, counts);
      rows += 1;
      last = id;
      if (sums.size >= maxRead) break;
    }
    if (last === null) return false;
    const all = [...sums].filter(([, count]) => count !== 0);
    addSums(all.slice(0, maxSums).map(([key, count]) => ({ ...readTrafficKey(key), count })));
    removeLogged.run(last);
    for (let at = maxSums; at < all.length; at += maxSums) log.run(JSON.stringify(all.slice(at, at + maxSums)));
    return all.length > maxSums || rows === maxRows || sums.size >= maxRead;
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
