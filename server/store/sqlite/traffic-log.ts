import { z } from "zod";
import type { CommonVerdicts } from "../../domain/verdict-list.ts";
import { type TrafficKey, readTrafficKey, setOutcome, writeTrafficKey } from "../shared/traffic-key.ts";
import type { Connection } from "./open-connection.ts";

const countsSchema = z.array(z.tuple([z.string(), z.int()]));

export interface TrafficSum extends TrafficKey {
  count: number;
}

/** Adds the counts of a row of the log to the sums. */
export function addCounts(sums: Map<string, number>, counts: string): void {
  for (const [key, count] of countsSchema.parse(JSON.parse(counts))) sums.set(key, (sums.get(key) ?? 0) + count);
}

/**
 * The same sums, by what they count: sets as the verdicts that they have. Counts below zero, of verdicts in place of which deliveries have their own, are gone
 * then: each row of the log has them together with the set.
 */
export function expandSets(sums: ReadonlyMap<string, number>, readSet: (set: number) => CommonVerdicts): Map<string, number> {
  const expanded = new Map<string, number>();
  const add = (key: string, count: number) => expanded.set(key, (expanded.get(key) ?? 0) + count);
  for (const [key, count] of sums) {
    const { at, outcome, attachmentId, endpoint } = readTrafficKey(key);
    if (outcome !== setOutcome) add(key, count);
    else for (const verdict of readSet(Number(attachmentId))) if (verdict) add(writeTrafficKey({ at, outcome: verdict.outcome, attachmentId: verdict.attachmentId, endpoint }), count);
  }
  for (const [key, count] of expanded) if (count === 0) expanded.delete(key);
  return expanded;
}

export const logRangeSql = "SELECT min(id) AS first, max(id) AS last FROM traffic_log";
export const logRowsSql = "SELECT counts FROM traffic_log WHERE id > ?";

/** What was counted and has not been added to the counters yet, by endpoint. Rows do not change and ids do not come again, so each is read once. */
export function createTrafficLogReader(connection: Connection, readSet: (set: number) => CommonVerdicts): () => ReadonlyMap<string, readonly TrafficSum[]> {
  const range = connection.prepare<unknown[], { first: number | null; last: number | null }>(logRangeSql);
  const rowsAfter = connection.prepare<unknown[], string>(logRowsSql).pluck();
  let known: { first: number | null; last: number | null } = { first: null, last: null };
  let sums = new Map<string, number>();
  let byEndpoint = new Map<string, TrafficSum[]>();
  return () => {
    const now = range.get() ?? { first: null, last: null };
    if (now.first === known.first && now.last === known.last) return byEndpoint;
    if (now.first !== known.first) sums = new Map();
    for (const counts of rowsAfter.iterate(now.first === known.first ? known.last : 0)) addCounts(sums, counts);
    byEndpoint = Map.groupBy([...expandSets(sums, readSet)].map(([key, count]): TrafficSum => ({ ...readTrafficKey(key), count })), ({ endpoint }) => endpoint);
    known = now;
    return byEndpoint;
  };
}
