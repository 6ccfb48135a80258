import type { CounterCursor, UpkeepBatch, UpkeepStore } from "../../ports/store/upkeep-store.ts";
import { createBatchBound } from "./batch-bound.ts";
import type { Connection } from "./open-connection.ts";

const rowsAtOnce = 500;

interface KeyPlace {
  endpoint: string;
  key: string;
}

export const keysAfterSql = `
  SELECT endpoint, key, accepted_at AS acceptedAt FROM idempotency_key
  WHERE (endpoint, key) > (@endpoint, @key) ORDER BY endpoint, key LIMIT ${rowsAtOnce}`;

export const nextCounterSql = `
  SELECT bucket_ms AS bucketMs, endpoint, attachment_id AS attachmentId FROM traffic
  WHERE (bucket_ms, endpoint, attachment_id) > (@bucketMs, @endpoint, @attachmentId)
  ORDER BY bucket_ms, endpoint, attachment_id LIMIT 1`;

export const removeCountersSql = `
  DELETE FROM traffic WHERE (bucket_ms, endpoint, attachment_id, at, outcome) IN (
    SELECT bucket_ms, endpoint, attachment_id, at, outcome FROM traffic
    WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id = @attachmentId AND at < @before LIMIT ${rowsAtOnce})`;

/** The verbs run in a write transaction. */
export function prepareRemoveCounters(connection: Connection) {
  const keysAfter = connection.prepare<unknown[], KeyPlace & { acceptedAt: number }>(keysAfterSql);
  const dropKey = connection.prepare("DELETE FROM idempotency_key WHERE endpoint = @endpoint AND key = @key");
  const nextCounter = connection.prepare<unknown[], CounterCursor>(nextCounterSql);
  const dropCounters = connection.prepare(removeCountersSql);
  return {
    removeKeys({ before, after }: Parameters<UpkeepStore["removeOldKeys"]>[0]): UpkeepBatch<KeyPlace> {
      const rows = keysAfter.all(after ?? { endpoint: "", key: "" });
      const bound = createBatchBound();
      let removed = 0;
      for (const [index, { endpoint, key, acceptedAt }] of rows.entries()) {
        if (acceptedAt < before) removed += dropKey.run({ endpoint, key }).changes;
        bound.looked();
        if (bound.isReached() && index < rows.length - 1) return { removed, next: { endpoint, key } };
      }
      const last = rows.at(-1);
      return { removed, next: last && rows.length === rowsAtOnce ? { endpoint: last.endpoint, key: last.key } : null };
    },
    /**
     * By the hour, the counts of all endpoints together come first: lists look through what lies before the oldest of
     * them.
     */
    removeCounters({ before, after }: Parameters<UpkeepStore["removeOldCounters"]>[0]): UpkeepBatch<CounterCursor> {
      const bound = createBatchBound();
      let removed = 0;
      let last = after;
      for (let place = nextCounter.get(after ?? start); place; place = nextCounter.get(place)) {
        if (bound.isReached()) return { removed, next: last ?? start };
        const { changes } = dropCounters.run({ ...place, before: before - (before % place.bucketMs) });
        removed += changes;
        bound.looked();
        bound.removed(changes);
        if (changes === rowsAtOnce) return { removed, next: last ?? start };
        last = place;
      }
      return { removed, next: null };
    },
  };
}

const start: CounterCursor = { bucketMs: 0, endpoint: "", attachmentId: "" };
