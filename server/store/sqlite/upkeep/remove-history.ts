import type { UpkeepBatch, UpkeepCursor, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import { type BatchBound, createBatchBound } from "../writes/batch-bound.ts";
import { readSeq, toPositionId } from "../lists/list-reader.ts";
import { listedSql } from "../lists/list-index.ts";
import type { Connection } from "../file/open-connection.ts";
import { delivery } from "../schema.ts";
import { isOpenSql } from "../stored-forms.ts";

const maxCandidates = 200;
const maxRows = 100;

export const oldDeliveriesSql = `
  ${listedSql("delivery", {
    columns: "received_at AS at, seq",
    index: "delivery_by_time",
    where: "(received_at, seq) > (@at, @seq) AND received_at < @before",
  })} ORDER BY at, seq LIMIT ${maxCandidates}`;

export const oldRunsSql = `
  ${listedSql("run", {
    columns: "created_at AS at, seq",
    index: "run_by_time",
    where: "(created_at, seq) > (@at, @seq) AND created_at < @before",
  })} ORDER BY at, seq LIMIT ${maxCandidates}`;

/** A failed run that blocks its key is needed, too, and so is a run whose parent or children do not know of its end. */
const isNeeded = `(${isOpenSql} OR key_slot IS NOT NULL OR settle_at IS NOT NULL OR coalesce(finished_at, created_at) >= @before)`;

/** 1 if a run or an idempotency key still needs the delivery. */
export const deliveryIsNeededSql = `
  SELECT EXISTS (SELECT 1 FROM run WHERE delivery = @seq AND ${isNeeded})
    OR EXISTS (SELECT 1 FROM delivery WHERE seq = @seq AND idempotency_key IS NOT NULL AND received_at >= @keysSince)`;

const runIsNeededSql = `SELECT delivery IS NOT NULL OR ${isNeeded} FROM run WHERE seq = @seq`;

/** Removes names from rejected requests that no delivery has any more. Exported for the test of its query plan. */
export const removeNamesSql = `
  DELETE FROM name WHERE id IN (
    SELECT id FROM name WHERE is_kept = 0
      AND NOT EXISTS (${listedSql("delivery", { columns: "1", index: "delivery_by_endpoint", where: "endpoint = name.id" })}) LIMIT ${maxCandidates})`;

interface OldRow {
  at: number;
  seq: number;
}

/**
 * These operations run in a write transaction. They can stop within a delivery or a run with many rows, and continue
 * with it in the next transaction.
 */
export function prepareRemoveHistory(connection: Connection) {
  const removeRun = prepareRemoveRun(connection);
  const runsOf = connection
    .prepare<unknown[], number>(`SELECT seq FROM run WHERE delivery = ? LIMIT ${maxRows}`)
    .pluck();
  const dropDelivery = connection.prepare("DELETE FROM delivery WHERE seq = ?");
  const dropWithoutRuns = connection.prepare(
    "DELETE FROM delivery WHERE id = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.delivery = delivery.seq)",
  );
  const dropNames = connection.prepare(removeNamesSql);
  const oldDeliveries = connection.prepare<unknown[], OldRow>(oldDeliveriesSql);
  const oldRuns = connection.prepare<unknown[], OldRow>(oldRunsSql);
  const deliveryIsNeeded = connection.prepare<unknown[], number>(deliveryIsNeededSql).pluck();
  const runIsNeeded = connection.prepare<unknown[], number>(runIsNeededSql).pluck();

  function removeDelivery(seq: number, bound: BatchBound): boolean {
    for (let runs = runsOf.all(seq); runs.length > 0; runs = runsOf.all(seq)) {
      for (const run of runs) if (!removeRun(run, bound)) return false;
    }
    bound.removed(dropDelivery.run(seq).changes);
    return true;
  }

  return {
    removeDeliveries({
      before,
      keysSince,
      after,
    }: Parameters<UpkeepStore["removeOldDeliveries"]>[0]): UpkeepBatch<UpkeepCursor> {
      const batch = walk(oldDeliveries.all({ ...rowOf(after), before }), after, {
        isNeeded: (seq) => deliveryIsNeeded.get({ seq, before, keysSince }) === 1,
        remove: removeDelivery,
      });
      if (batch.removed > 0) dropNames.run();
      return batch;
    },
    removeRejected(ids: readonly string[]): number {
      let removed = 0;
      for (const id of ids) removed += dropWithoutRuns.run(delivery.id.mapToDriverValue(id)).changes;
      if (removed > 0) dropNames.run();
      return removed;
    },
    removeRuns({ before, after }: Parameters<UpkeepStore["removeOldRuns"]>[0]): UpkeepBatch<UpkeepCursor> {
      return walk(oldRuns.all({ ...rowOf(after), before }), after, {
        isNeeded: (seq) => runIsNeeded.get({ seq, before }) !== 0,
        remove: removeRun,
      });
    },
  };
}

const start: UpkeepCursor = { at: -1, id: toPositionId(0) };

function rowOf(cursor: UpkeepCursor | null): OldRow {
  const { at, id } = cursor ?? start;
  return { at, seq: readSeq(id) };
}

function walk(
  rows: readonly OldRow[],
  after: UpkeepCursor | null,
  p: { isNeeded: (seq: number) => boolean; remove: (seq: number, bound: BatchBound) => boolean },
): UpkeepBatch<UpkeepCursor> {
  const bound = createBatchBound();
  let removed = 0;
  let last = after;
  for (const { at, seq } of rows) {
    if (bound.isReached()) return { removed, next: last ?? start };
    bound.examined();
    if (!p.isNeeded(seq)) {
      if (!p.remove(seq, bound)) return { removed, next: last ?? start };
      removed += 1;
    }
    last = { at, id: toPositionId(seq) };
  }
  return { removed, next: rows.length < maxCandidates ? null : last };
}

/**
 * Removes the timeline and the steps first, in batches: a run can have many, and removing its own row would remove them
 * all at once. Returns whether all of it is removed.
 */
function prepareRemoveRun(connection: Connection): (seq: number, bound: BatchBound) => boolean {
  const parts = ["run_event", "run_step", "run_wait"].map((table) =>
    connection.prepare(
      `DELETE FROM ${table} WHERE run = @seq AND position IN (SELECT position FROM ${table} WHERE run = @seq LIMIT ${maxRows})`,
    ),
  );
  const dropRun = connection.prepare("DELETE FROM run WHERE seq = ?");
  return (seq, bound) => {
    for (const part of parts) {
      for (let changes = maxRows; changes === maxRows;) {
        if (bound.isReachedByRemoving()) return false;
        ({ changes } = part.run({ seq }));
        bound.removed(changes);
      }
    }
    if (bound.isReachedByRemoving()) return false;
    bound.removed(dropRun.run(seq).changes);
    return true;
  };
}
