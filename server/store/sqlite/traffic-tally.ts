import type { NewDelivery } from "../../ports/store.ts";
import type { Connection } from "./open-connection.ts";

/** Sums up what the verbs of one transaction recorded, so that a batch of a hundred deliveries costs a few counters, not hundreds. */
export interface TrafficTally {
  /** Forgets what an attempt before counted: it was undone. */
  begin(): void;
  add(delivery: NewDelivery): void;
  /** Adds the sums to the counters; inside the transaction that records what they count. */
  write(): void;
}

interface Sum {
  endpoint: string;
  attachmentId: string;
  at: number;
  outcome: string;
  count: number;
}

/** The endpoint of the counts of all endpoints together, and the attachment of the deliveries themselves. */
export const together = "";

/** Unknown endpoints have the names that callers gave them. */
const longestEndpoint = 256;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Of verdicts alone, so that a week of thousands of attachments is read at once. */
export const dayMs = 24 * hourMs;
/** On busy endpoints with many triggers they would outgrow the deliveries. Nobody asks by the minute what was long ago. */
const verdictMinutesKeptMs = 48 * hourMs;

export const addTrafficSql = `
  INSERT INTO traffic (bucket_ms, endpoint, attachment_id, at, outcome, count) VALUES (@bucketMs, @endpoint, @attachmentId, @at, @outcome, @count)
  ON CONFLICT (bucket_ms, endpoint, attachment_id, at, outcome) DO UPDATE SET count = count + excluded.count RETURNING count`;

export const forgetMinutesSql = `DELETE FROM traffic WHERE bucket_ms = ${minuteMs} AND endpoint = @endpoint AND attachment_id = @attachmentId AND at < @before`;

export function createTrafficTally(connection: Connection): TrafficTally {
  const upsert = connection.prepare<unknown[], number>(addTrafficSql).pluck();
  const forgetMinutes = connection.prepare(forgetMinutesSql);
  const byMinute = new Map<string, Sum>();

  function count(sum: Omit<Sum, "count">): void {
    const key = JSON.stringify([sum.at, sum.endpoint, sum.attachmentId, sum.outcome]);
    const known = byMinute.get(key);
    if (known) known.count += 1;
    else byMinute.set(key, { ...sum, count: 1 });
  }

  return {
    begin: () => byMinute.clear(),
    add({ endpoint: name, receivedAt, outcome, verdicts }) {
      const at = receivedAt - (receivedAt % minuteMs);
      const endpoint = name.slice(0, longestEndpoint);
      count({ at, endpoint, attachmentId: together, outcome });
      count({ at, endpoint: together, attachmentId: together, outcome });
      for (const verdict of verdicts) count({ at, endpoint, attachmentId: verdict.attachmentId, outcome: verdict.outcome });
    },
    write() {
      for (const sum of byMinute.values()) {
        upsert.get({ ...sum, bucketMs: minuteMs });
        const total = upsert.get({ ...sum, bucketMs: hourMs, at: sum.at - (sum.at % hourMs) });
        if (sum.attachmentId !== together) upsert.get({ ...sum, bucketMs: dayMs, at: sum.at - (sum.at % dayMs) });
        // The first in its hour: a good time to clear away behind it.
        if (total === sum.count && sum.attachmentId !== together) forgetMinutes.run({ ...sum, before: sum.at - verdictMinutesKeptMs });
      }
    },
  };
}
