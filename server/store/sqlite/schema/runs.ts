import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
  describeEvent,
  describeLive,
  describeRun,
  describeStep,
  describeWait,
  describeWorker,
} from "../../core/run-tables.ts";
import { hasFailedSql, isOpenSql } from "../stored-forms.ts";
import { columnTypes } from "./columns.ts";
import { delivery } from "./deliveries.ts";

export const run = sqliteTable(
  "run",
  {
    /** In the order of arrival. Never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    ...describeRun(columnTypes),
    /** Deliveries are removed after their runs. */
    delivery: integer("delivery").references(() => delivery.seq),
    leaseUntil: integer("lease_until"),
    /** The timeline entries that the columns of this row imply; see `timeline.ts`. */
    impliedEntries: integer("implied_entries").notNull(),
    /** Duration in the last timeline entry. */
    durationMs: real("duration_ms"),
    /** JSON. Empty if it equals the body of the delivery byte for byte. */
    payload: text("payload"),
    /** JSON. Empty if it equals the payload. */
    input: text("input"),
  },
  (t) => [
    uniqueIndex("run_by_id").on(t.id),
    // Open runs have their own small index, so that the cost of claims does not depend on the history.
    index("run_open").on(t.status, t.isIsolated, t.target, t.availableAt).where(sql.raw(isOpenSql)),
    index("run_waiting")
      .on(t.isIsolated, t.availableAt)
      .where(sql`status = 1`),
    index("run_by_delivery").on(t.delivery, t.createdAt, t.seq),
    // Failures are counted by target. Runs that succeed are not in it.
    index("run_by_failure_time").on(t.target, t.finishedAt).where(sql.raw(hasFailedSql)),
    // The indexes for other filters of lists are in `lists.ts`.
    index("run_by_run_key")
      .on(t.runKey, t.createdAt, t.seq)
      .where(sql`run_key IS NOT NULL`),
    index("run_by_slot")
      .on(t.target, t.runKey, t.keySlot, t.keyOrder)
      .where(sql`key_slot IS NOT NULL`),
    index("run_waiting_for_slot")
      .on(t.createdAt, t.seq)
      .where(sql`key_slot = 2`),
    index("run_by_replay")
      .on(t.replayOf, t.createdAt, t.seq)
      .where(sql`replay_of IS NOT NULL`),
    index("run_by_failure")
      .on(t.failureOf, t.createdAt, t.seq)
      .where(sql`failure_of IS NOT NULL`),
    index("run_by_parent")
      .on(t.childOf, t.createdAt, t.seq)
      .where(sql`child_of IS NOT NULL`),
    index("run_to_settle")
      .on(t.settleAt)
      .where(sql`settle_at IS NOT NULL`),
  ],
);

const runSeq = () =>
  integer("run")
    .notNull()
    .references(() => run.seq, { onDelete: "cascade" });

/**
 * The live output of an agent's model in the current call. Not part of the history: it is removed when the step is
 * written.
 */
export const runLive = sqliteTable("run_live", {
  run: integer("run")
    .primaryKey()
    .references(() => run.seq, { onDelete: "cascade" }),
  ...describeLive(columnTypes),
});

export const runStep = sqliteTable(
  "run_step",
  {
    run: runSeq(),
    ...describeStep(columnTypes),
  },
  (t) => [uniqueIndex("run_step_by_name").on(t.run, t.name)],
);

export const runWait = sqliteTable("run_wait", { run: runSeq(), ...describeWait(columnTypes) }, (t) => [
  uniqueIndex("run_wait_by_step").on(t.run, t.step, t.branch),
  index("run_wait_by_match")
    .on(t.matchKey)
    .where(sql`delivery IS NULL`),
  index("run_wait_by_delivery")
    .on(t.deliveryId)
    .where(sql`delivery IS NOT NULL`),
  // For lists, by source.
  index("run_wait_by_source")
    .on(t.source, t.run)
    .where(sql`delivery IS NULL`),
  index("run_wait_to_search")
    .on(t.searchAt)
    .where(sql`search_at IS NOT NULL`),
]);

/** The timeline entries that the columns of the run do not imply. WITHOUT ROWID. */
export const runEvent = sqliteTable(
  "run_event",
  {
    run: runSeq(),
    /** The id of the entry. */
    position: integer("position").notNull(),
    ...describeEvent(columnTypes),
  },
  (t) => [primaryKey({ columns: [t.run, t.position] })],
);

export const worker = sqliteTable("worker", describeWorker(columnTypes));
