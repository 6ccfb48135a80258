import { z } from "zod";
import type { Verdict } from "../../contract/verdict.ts";
import { type CommonVerdicts, isFolded, ownVerdicts } from "../../domain/verdict-list.ts";
import type { NewDelivery } from "../../ports/store.ts";
import { readTrafficKey, setOutcome, type TrafficKey, writeTrafficKey } from "./traffic-key.ts";

/** Counts a delivery and its verdicts. Those that it has in common with others are counted together: as the set that has them. */
export type CountTraffic = (delivery: NewDelivery, verdictSet: number | null) => void;

/** What one transaction counts. */
export interface TrafficCounts {
  clear(): void;
  add: CountTraffic;
  /** How many counts there are. */
  size(): number;
  /** As one row of the log; see addCounts. */
  toText(): string;
}

export interface TrafficSum extends TrafficKey {
  count: number;
}

/** Unknown endpoints have the names that callers gave them. */
const longestEndpoint = 256;
const minuteMs = 60_000;

export function createTrafficCounts(): TrafficCounts {
  const counts = new Map<string, number>();
  const count = (key: TrafficKey, change: number) => {
    const text = writeTrafficKey(key);
    counts.set(text, (counts.get(text) ?? 0) + change);
  };
  return {
    clear: () => counts.clear(),
    add({ endpoint: name, receivedAt, outcome, verdicts }, verdictSet) {
      const at = receivedAt - (receivedAt % minuteMs);
      const endpoint = name.slice(0, longestEndpoint);
      const countVerdict = (verdict: Pick<Verdict, "attachmentId" | "outcome">, change: number) => count({ at, outcome: verdict.outcome, attachmentId: verdict.attachmentId, endpoint }, change);
      count({ at, outcome, attachmentId: "", endpoint }, 1);
      for (const verdict of ownVerdicts(verdicts)) countVerdict(verdict, 1);
      if (verdictSet === null || !isFolded(verdicts)) return;
      count({ at, outcome: setOutcome, attachmentId: String(verdictSet), endpoint }, 1);
      // The set is counted as a whole, with what the delivery has of its own instead.
      for (const place of verdicts.places) {
        const replaced = verdicts.common[place];
        if (replaced) countVerdict(replaced, -1);
      }
    },
    size: () => counts.size,
    toText: () => JSON.stringify([...counts].filter(([, count]) => count !== 0)),
  };
}

const countsSchema = z.array(z.tuple([z.string(), z.int()]));

/** Adds the counts of a row of the log to the sums. */
export function addCounts(sums: Map<string, number>, counts: string): void {
  for (const [key, count] of countsSchema.parse(JSON.parse(counts))) sums.set(key, (sums.get(key) ?? 0) + count);
}

/** The sets that sums refer to. */
export function setsOf(sums: ReadonlyMap<string, number>): number[] {
  return [...sums.keys()].map(readTrafficKey).flatMap(({ outcome, attachmentId }) => (outcome === setOutcome ? [Number(attachmentId)] : []));
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

/** Sums of whole verdicts, by endpoint. */
export function byEndpoint(expanded: ReadonlyMap<string, number>): Map<string, TrafficSum[]> {
  return Map.groupBy([...expanded].map(([key, count]): TrafficSum => ({ ...readTrafficKey(key), count })), ({ endpoint }) => endpoint);
}
