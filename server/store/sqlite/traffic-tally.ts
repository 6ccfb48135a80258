import { createTrafficCounts, type CountTraffic } from "../shared/traffic-counts.ts";
import type { Connection } from "./open-connection.ts";

/** Counts what the verbs of one transaction recorded. */
export interface TrafficTally {
  /** Forgets what an attempt before counted: it was undone. */
  begin(): void;
  add: CountTraffic;
  /** Writes the counts down, inside the transaction that records what they count. Gives how many there are. */
  write(): number;
}

/**
 * A commit adds one row with all its counts, at the end of a table: senders wait for that. Counters lie far apart, and
 * there are several for each count; foldTraffic adds to them later on, many commits at a time.
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
