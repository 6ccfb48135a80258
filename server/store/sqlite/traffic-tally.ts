import { createTrafficCounts, type CountTraffic } from "../shared/traffic-counts.ts";
import type { Connection } from "./open-connection.ts";

/** Counts the deliveries that the operations of one transaction record. */
export interface TrafficTally {
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
export const logTrafficSql = "INSERT INTO traffic_log (counts) VALUES (?)";

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
