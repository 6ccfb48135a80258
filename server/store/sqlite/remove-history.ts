import type { UpkeepBatch, UpkeepCursor, UpkeepStore } from "../../ports/store/upkeep-store.ts";
import { type BatchBound, createBatchBound } from "./batch-bound.ts";
import type { Connection } from "./open-connection.ts";

const looksAtOnce = 200;
const rowsAtOnce = 100;

const isOpen = "status IN ('queued', 'running', 'waiting')";

export const oldDeliveriesSql = `
  SELECT received_at AS at, id FROM delivery
  WHERE (received_at, id) > (@at, @id) AND received_at < @before ORDER BY received_at, id LIMIT ${looksAtOnce}`;

export const oldRunsSql = `
  SELECT created_at AS at, id FROM run
  WHERE (created_at, id) > (@at, @id) AND created_at < @before ORDER BY created_at, id LIMIT ${looksAtOnce}`;

/** Whether anything still needs it. */
export const deliveryIsNeededSql = `
  SELECT EXISTS (SELECT 1 FROM run WHERE delivery_id = @id AND (${isOpen} OR coalesce(finished_at, created_at) >= @before))
    OR EXISTS (SELECT 1 FROM idempotency_key WHERE delivery_id = @id AND accepted_at >= @keysSince)`;

const runIsNeededSql = `SELECT delivery_id IS NOT NULL OR ${isOpen} OR coalesce(finished_at, created_at) >= @before FROM run WHERE id = @id`;

/**
 * The verbs run in a write transaction. They may stop in the middle of a delivery or a run that has much, and go on
 * with it in the next one.
 */
export function prepareRemoveHistory(connection: Connection) {
  const removeRun = prepareRemoveRun(connection);
  const runsOf = connection
    .prepare<unknown[], string>(`SELECT id FROM run WHERE delivery_id = ? LIMIT ${rowsAtOnce}`)
    .pluck();
  const dropDelivery = connection.prepare("DELETE FROM delivery WHERE id = ?");
  const oldDeliveries = connection.prepare<unknown[], UpkeepCursor>(oldDeliveriesSql);
  const oldRuns = connection.prepare<unknown[], UpkeepCursor>(oldRunsSql);
  const deliveryIsNeeded = connection.prepare<unknown[], number>(deliveryIsNeededSql).pluck();
  const runIsNeeded = connection.prepare<unknown[], number>(runIsNeededSql).pluck();

  function removeDelivery(id: string, bound: BatchBound): boolean {
    for (let runs = runsOf.all(id); runs.length > 0; runs = runsOf.all(id)) {
      for (const run of runs) if (!removeRun(run, bound)) return false;
    }
    bound.removed(dropDelivery.run(id).changes);
    return true;
  }

  return {
    removeDeliveries({
      before,
      keysSince,
      after,
    }: Parameters<UpkeepStore["removeOldDeliveries"]>[0]): UpkeepBatch<UpkeepCursor> {
      return walk(oldDeliveries.all({ ...(after ?? start), before }), after, {
        isNeeded: (id) => deliveryIsNeeded.get({ id, before, keysSince }) === 1,
        remove: removeDelivery,
      });
    },
    removeRuns({ before, after }: Parameters<UpkeepStore["removeOldRuns"]>[0]): UpkeepBatch<UpkeepCursor> {
      return walk(oldRuns.all({ ...(after ?? start), before }), after, {
        isNeeded: (id) => runIsNeeded.get({ id, before }) !== 0,
        remove: removeRun,
      });
    },
  };
}

const start: UpkeepCursor = { at: -1, id: "" };

function walk(
  rows: readonly UpkeepCursor[],
  after: UpkeepCursor | null,
  p: { isNeeded: (id: string) => boolean; remove: (id: string, bound: BatchBound) => boolean },
): UpkeepBatch<UpkeepCursor> {
  const bound = createBatchBound();
  let removed = 0;
  let last = after;
  for (const row of rows) {
    if (bound.isReached()) return { removed, next: last ?? start };
    bound.looked();
    if (!p.isNeeded(row.id)) {
      if (!p.remove(row.id, bound)) return { removed, next: last ?? start };
      removed += 1;
    }
    last = row;
  }
  return { removed, next: rows.length < looksAtOnce ? null : last };
}

/**
 * Timeline and steps first, some at a time: a run may have many, and its own row would take them all with it. Says
 * whether all is gone.
 */
function prepareRemoveRun(connection: Connection): (id: string, bound: BatchBound) => boolean {
  const parts = ["run_event", "run_step"].map((table) =>
    connection.prepare(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE run_id = ? LIMIT ${rowsAtOnce})`,
    ),
  );
  const dropRun = connection.prepare("DELETE FROM run WHERE id = ?");
  return (id, bound) => {
    for (const part of parts) {
      for (let changes = rowsAtOnce; changes === rowsAtOnce;) {
        if (bound.isReachedByRemoving()) return false;
        ({ changes } = part.run(id));
        bound.removed(changes);
      }
    }
    if (bound.isReachedByRemoving()) return false;
    bound.removed(dropRun.run(id).changes);
    return true;
  };
}
