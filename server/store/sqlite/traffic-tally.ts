import type { Verdict } from "../../contract/verdict.ts";
import { isFolded, ownVerdicts } from "../../domain/verdict-list.ts";
import type { NewDelivery } from "../../ports/store.ts";
import { setOutcome, type TrafficKey, writeTrafficKey } from "../shared/traffic-key.ts";
import type { Connection } from "./open-connection.ts";

/** Counts a delivery and its verdicts. Those that it has in common with others are counted together: as the set that has them. */
export type CountTraffic = (delivery: NewDelivery, verdictSet: number | null) => void;

/** Counts what the verbs of one transaction recorded. */
export interface TrafficTally {
  /** Forgets what an attempt before counted: it was undone. */
  begin(): void;
  add: CountTraffic;
  /** Writes the counts down, inside the transaction that records what they count. Gives how many there are. */
  write(): number;
}

/** Unknown endpoints have the names that callers gave them. */
const longestEndpoint = 256;
const minuteMs = 60_000;

/**
 * A commit adds one row with all its counts, at the end of a table: senders wait for that. Counters lie far apart, and there are several
 * for each count; foldTraffic adds to them later on, many commits at a time.
 */
export const logTrafficSql = "INSERT INTO traffic_log (counts) VALUES (?)";

export function createTrafficTally(connection: Connection): TrafficTally {
  const log = connection.prepare(logTrafficSql);
  const counts = new Map<string, number>();
  const count = (key: TrafficKey, change: number) => {
    const text = writeTrafficKey(key);
    counts.set(text, (counts.get(text) ?? 0) + change);
  };
  return {
    begin: () => counts.clear(),
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
    write() {
      if (counts.size > 0) log.run(JSON.stringify([...counts].filter(([, count]) => count !== 0)));
      return counts.size;
    },
  };
}
