import type { SharedVerdicts } from "../shared/stored-verdicts.ts";
import { addCounts, byEndpoint, expandSharedLists, type TrafficSum } from "../shared/traffic-counts.ts";
import type { Connection } from "./open-connection.ts";

export const logRangeSql = "SELECT min(id) AS first, max(id) AS last FROM traffic_log";
export const logRowsSql = "SELECT counts FROM traffic_log WHERE id > ?";

/**
 * What was counted and has not been added to the counters yet, by endpoint. Rows do not change and ids do not come
 * again, so each is read once.
 */
export function createTrafficLogReader(
  connection: Connection,
  readShared: (id: number) => SharedVerdicts,
): () => ReadonlyMap<string, readonly TrafficSum[]> {
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
    logged = byEndpoint(expandSharedLists(sums, readShared));
    known = now;
    return logged;
  };
}
