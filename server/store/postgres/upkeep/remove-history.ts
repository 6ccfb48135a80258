import type { UpkeepBatch, UpkeepCursor, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import { isOpenSql } from "../schema.ts";
import type { Session } from "../connection/session.ts";

const looksAtOnce = 200;
const rowsAtOnce = 1_000;

const start: UpkeepCursor = { at: -1, id: "" };

/** A failed run that blocks its key is needed, too, and so is a run whose parent or children do not know of its end. */
const isNeeded = `run.${isOpenSql} OR run.key_slot IS NOT NULL OR run.settle_at IS NOT NULL`;

/**
 * Rows are locked before the check whether they are still needed. An operation that starts a run of a delivery
 * meanwhile waits, and then finds that the delivery is removed.
 */
const queries = {
  delivery: {
    old: `SELECT received_at AS at, id FROM signalbox.delivery WHERE (received_at, id) > ($1, $2) AND received_at < $3 ORDER BY received_at, id LIMIT ${looksAtOnce}`,
    unneeded: `
      SELECT id FROM signalbox.delivery d WHERE id = ANY($1::text[])
        AND NOT EXISTS (SELECT 1 FROM signalbox.run WHERE run.delivery_id = d.id AND (${isNeeded} OR coalesce(finished_at, created_at) >= $2))
        AND NOT EXISTS (SELECT 1 FROM signalbox.idempotency_key k WHERE k.delivery_id = d.id AND k.accepted_at >= $3)`,
  },
  run: {
    old: `SELECT created_at AS at, id FROM signalbox.run WHERE (created_at, id) > ($1, $2) AND created_at < $3 ORDER BY created_at, id LIMIT ${looksAtOnce}`,
    unneeded: `SELECT id FROM signalbox.run WHERE id = ANY($1::text[]) AND delivery_id IS NULL AND NOT (${isNeeded} OR coalesce(finished_at, created_at) >= $2)`,
  },
};

/** Deliveries with many rows are removed in several batches. */
export async function removeDeliveries(
  session: Session,
  { before, keysSince, after }: Parameters<UpkeepStore["removeOldDeliveries"]>[0],
): Promise<UpkeepBatch<UpkeepCursor>> {
  const { rows, unneeded, rest } = await lookAt(session, "delivery", {
    before,
    after,
    needs: [before, Math.max(keysSince, Number.MIN_SAFE_INTEGER)],
  });
  const runs = await idsOf(
    session,
    `SELECT id FROM signalbox.run WHERE delivery_id = ANY($1::text[]) LIMIT ${rowsAtOnce}`,
    [unneeded],
  );
  if (!(await removeWhole(session, runs)) || runs.length === rowsAtOnce) return { removed: 0, next: after ?? start };
  return {
    removed: await session.change("DELETE FROM signalbox.delivery WHERE id = ANY($1::text[])", [unneeded]),
    next: rest(rows),
  };
}

export async function removeRuns(
  session: Session,
  { before, after }: Parameters<UpkeepStore["removeOldRuns"]>[0],
): Promise<UpkeepBatch<UpkeepCursor>> {
  const { rows, unneeded, rest } = await lookAt(session, "run", { before, after, needs: [before] });
  return (await removeWhole(session, unneeded))
    ? { removed: unneeded.length, next: rest(rows) }
    : { removed: 0, next: after ?? start };
}

async function lookAt(
  session: Session,
  table: keyof typeof queries,
  p: { before: number; after: UpkeepCursor | null; needs: readonly number[] },
) {
  const { at, id } = p.after ?? start;
  const rows = await session.rows<UpkeepCursor>(queries[table].old, [at, id, p.before]);
  const locked = await idsOf(
    session,
    `SELECT id FROM signalbox.${table} WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE SKIP LOCKED`,
    [rows.map((row) => row.id)],
  );
  const unneeded = await idsOf(session, queries[table].unneeded, [locked, ...p.needs]);
  return {
    rows,
    unneeded,
    rest: (all: readonly UpkeepCursor[]) => (all.length < looksAtOnce ? null : (all.at(-1) ?? null)),
  };
}

/** Removes timelines and steps first, some at a time. Returns whether everything is removed. */
async function removeWhole(session: Session, runs: readonly string[]): Promise<boolean> {
  if (runs.length === 0) return true;
  for (const table of ["run_event", "run_step", "run_wait"]) {
    const removed = await session.change(
      `DELETE FROM signalbox.${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM signalbox.${table} WHERE run_id = ANY($1::text[]) LIMIT ${rowsAtOnce}))`,
      [runs],
    );
    if (removed === rowsAtOnce) return false;
  }
  await session.change("DELETE FROM signalbox.run WHERE id = ANY($1::text[])", [runs]);
  return true;
}

async function idsOf(session: Session, text: string, values: readonly unknown[]): Promise<string[]> {
  return (await session.rows<{ id: string }>(text, values)).map(({ id }) => id);
}
