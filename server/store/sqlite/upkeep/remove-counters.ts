import type { CounterCursor, UpkeepBatch, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import { createBatchBound } from "../writes/batch-bound.ts";
import type { SqliteDatabase } from "../database.ts";
import { type Packed, packedHex } from "../../../domain/ids.ts";

const maxRows = 500;

interface KeyCursor {
  endpoint: string;
  key: string;
}

export const keysAfterSql = `
  SELECT seq, endpoint, idempotency_key AS key, received_at AS acceptedAt FROM delivery INDEXED BY delivery_by_idempotency_key
  WHERE idempotency_key IS NOT NULL AND (endpoint, idempotency_key) > (@endpoint, @key) ORDER BY endpoint, idempotency_key LIMIT ${maxRows}`;

export const nextCounterSql = `
  SELECT bucket_ms AS bucketMs, endpoint, attachment_id AS attachmentId FROM traffic
  WHERE (bucket_ms, endpoint, attachment_id) > (@bucketMs, @endpoint, @attachmentId)
  ORDER BY bucket_ms, endpoint, attachment_id LIMIT 1`;

export const removeCountersSql = `
  DELETE FROM traffic WHERE (bucket_ms, endpoint, attachment_id, at, outcome) IN (
    SELECT bucket_ms, endpoint, attachment_id, at, outcome FROM traffic
    WHERE bucket_ms = @bucketMs AND endpoint = @endpoint AND attachment_id = @attachmentId AND at < @before LIMIT ${maxRows})`;

interface KeyRow {
  seq: number;
  endpoint: number;
  key: Packed;
  acceptedAt: number;
}

/** These operations run in a write transaction. */
export function prepareRemoveCounters({ connection, names }: SqliteDatabase) {
  const keysAfter = connection.prepare<unknown[], KeyRow>(keysAfterSql);
  const dropKey = connection.prepare("UPDATE delivery SET idempotency_key = NULL WHERE seq = ?");
  const cursorOf = ({ endpoint, key }: KeyRow): KeyCursor => ({
    endpoint: names.textOf(endpoint),
    key: packedHex.unpack(key),
  });
  const nextCounter = connection.prepare<unknown[], CounterCursor>(nextCounterSql);
  const dropCounters = connection.prepare(removeCountersSql);
  return {
    removeKeys({ before, after }: Parameters<UpkeepStore["removeOldKeys"]>[0]): UpkeepBatch<KeyCursor> {
      const from = after && { endpoint: names.find(after.endpoint), key: packedHex.pack(after.key) };
      const rows = keysAfter.all(from ?? { endpoint: 0, key: "" });
      const bound = createBatchBound();
      let removed = 0;
      for (const [index, row] of rows.entries()) {
        if (row.acceptedAt < before) removed += dropKey.run(row.seq).changes;
        bound.examined();
        if (bound.isReached() && index < rows.length - 1) return { removed, next: cursorOf(row) };
      }
      const last = rows.at(-1);
      return { removed, next: last && rows.length === maxRows ? cursorOf(last) : null };
    },
    /**
     * In hour buckets, the totals of all endpoints are removed first: lists search all deliveries from before the
     * oldest of these totals.
     */
    removeCounters({ before, after }: Parameters<UpkeepStore["removeOldCounters"]>[0]): UpkeepBatch<CounterCursor> {
      const bound = createBatchBound();
      let removed = 0;
      let last = after;
      for (let counter = nextCounter.get(after ?? start); counter; counter = nextCounter.get(counter)) {
        if (bound.isReached()) return { removed, next: last ?? start };
        const { changes } = dropCounters.run({ ...counter, before: before - (before % counter.bucketMs) });
        removed += changes;
        bound.examined();
        bound.removed(changes);
        if (changes === maxRows) return { removed, next: last ?? start };
        last = counter;
      }
      return { removed, next: null };
    },
  };
}

const start: CounterCursor = { bucketMs: 0, endpoint: "", attachmentId: "" };
