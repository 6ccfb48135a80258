import { sql } from "drizzle-orm";
import { bigserial, boolean, index, primaryKey } from "drizzle-orm/pg-core";
import type { Json } from "../../../contract/json.ts";
import type { RunStatus } from "../../../contract/run.ts";
import { failedStatuses, openStatuses } from "../../../shared/runs/run-state.ts";
import {
  describeEvent,
  describeLive,
  describeRun,
  describeStep,
  describeWait,
  describeWorker,
} from "../../core/run-tables.ts";
import { columnsOf, json, pgTable, text, whole } from "./columns.ts";
import { delivery } from "./deliveries.ts";

const hasStatus = (statuses: readonly RunStatus[]) =>
  `status IN (${statuses.map((status) => `'${status}'`).join(", ")})`;

/** Failed runs. A query uses the partial index only if it repeats this condition. */
export const hasFailedSql = hasStatus(failedStatuses);
/** Runs that have not ended. */
export const isOpenSql = hasStatus(openStatuses);

/**
 * Queued and waiting runs. Not their status: statistics say that next to no run has it, and then another index seems to
 * be as good as that of the queue.
 */
export const isInQueueSql = "worker_id IS NULL AND finished_at IS NULL";
/** A queue has the runs of a pool and a version. Targets whose concurrent runs are limited have their own. */
export const limitedTargetSql = "(CASE WHEN is_limited THEN target ELSE '' END)";
/** The order of a queue: runs that wait for their time, then interrupted runs, then runs that have not begun. */
export const rankSql = "(CASE WHEN status = 'waiting' THEN 0 WHEN is_resuming THEN 1 ELSE 2 END)";

export const run = pgTable(
  "run",
  {
    ...columnsOf(describeRun),
    deliveryId: text("delivery_id").references(() => delivery.id, { onDelete: "set null" }),
    /** Its target has its own queue, because its concurrent runs are limited. */
    isLimited: boolean("is_limited").notNull().default(false),
    /** When another machine takes over the run. Set while it is running, and in no index: it changes in place. */
    leaseUntil: whole("lease_until"),
    payload: json("payload").$type<Json>(),
    input: json("input").$type<Json>(),
  },
  (t) => [
    // A version covers one period, so a scan of this index soon finds its first and last run.
    index("run_by_time").on(t.createdAt, t.id, t.version, t.targetKind),
    index("run_by_trigger").on(t.trigger, t.createdAt, t.id, t.targetSlug, t.targetKind, t.version),
    // Covers the recent statistics of a target: it includes status and times, although they change.
    index("run_by_target").on(
      t.targetSlug,
      t.createdAt,
      t.id,
      t.targetKind,
      t.status,
      t.startedAt,
      t.finishedAt,
      t.trigger,
      t.version,
      t.failureOf,
    ),
    index("run_by_status").on(t.status, t.createdAt, t.id, t.trigger, t.targetSlug, t.targetKind, t.version),
    index("run_failed")
      .on(t.createdAt, t.id, t.trigger, t.targetSlug, t.targetKind, t.version)
      .where(sql.raw(hasFailedSql)),
    index("run_by_delivery").on(t.deliveryId, t.createdAt, t.id),
    index("run_by_run_key")
      .on(t.runKey, t.createdAt, t.id)
      .where(sql`run_key IS NOT NULL`),
    index("run_by_slot")
      .on(t.target, t.runKey, t.keySlot, t.keyOrder)
      .where(sql`key_slot IS NOT NULL`),
    index("run_waiting_for_slot")
      .on(t.createdAt, t.id)
      .where(sql`key_slot = 'waiting'`),
    index("run_by_replay")
      .on(t.replayOf, t.createdAt, t.id)
      .where(sql`replay_of IS NOT NULL`),
    index("run_by_failure")
      .on(t.failureOf, t.createdAt, t.id)
      .where(sql`failure_of IS NOT NULL`),
    index("run_by_parent")
      .on(t.childOf, t.createdAt, t.id)
      .where(sql`child_of IS NOT NULL`),
    index("run_to_settle")
      .on(t.settleAt)
      .where(sql`settle_at IS NOT NULL`),
    // Failures are counted by target. Runs that succeed are not in it.
    index("run_by_failure_time").on(t.target, t.finishedAt).where(sql.raw(hasFailedSql)),
    index("run_by_key")
      .on(t.keyId, t.createdAt, t.id)
      .where(sql`key_id IS NOT NULL`),
    // Open runs have their own small indexes, so that no cost depends on the history.
    index("run_queued_by_target")
      .on(t.target, t.availableAt)
      .where(sql`status = 'queued'`),
    index("run_waiting_by_target")
      .on(t.target)
      .where(sql`status = 'waiting'`),
    // Everything that claims read. Its entries are as many as the runs in the queue.
    index("run_in_queue")
      .on(t.isIsolated, t.version, sql.raw(limitedTargetSql), sql.raw(rankSql), t.availableAt)
      .where(sql.raw(isInQueueSql)),
    // Running runs. Its condition is not their status: statistics say that next to no run is running. So Postgres would
    // read all of it, with its dead entries, to find one run by its id and its status.
    index("run_held")
      .on(t.target, t.workerId)
      .where(sql`worker_id IS NOT NULL`),
    // Covers the filters and sums of agents' usage. Runs of workflows are not in it.
    index("run_by_spend")
      .on(t.createdAt, t.id, t.tokens, t.costUsd, t.targetSlug, t.status, t.trigger, t.version)
      .where(sql`tokens IS NOT NULL`),
  ],
);

/**
 * The live output of an agent's model in the current call. Not part of the history: it is removed when the step is
 * written.
 */
export const runLive = pgTable("run_live", {
  runId: text("run_id")
    .primaryKey()
    .references(() => run.id, { onDelete: "cascade" }),
  ...columnsOf(describeLive),
});

export const runStep = pgTable(
  "run_step",
  {
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    ...columnsOf(describeStep),
  },
  (t) => [primaryKey({ columns: [t.runId, t.name] })],
);

export const runWait = pgTable(
  "run_wait",
  {
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    ...columnsOf(describeWait),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.step, t.branch] }),
    index("run_wait_by_match")
      .on(t.matchKey)
      .where(sql`delivery IS NULL`),
    index("run_wait_by_delivery")
      .on(t.deliveryId)
      .where(sql`delivery IS NOT NULL`),
    // For lists, by source.
    index("run_wait_by_source")
      .on(t.source, t.runId)
      .where(sql`delivery IS NULL`),
    index("run_wait_to_search")
      .on(t.searchAt)
      .where(sql`search_at IS NOT NULL`),
  ],
);

export const runEvent = pgTable(
  "run_event",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    ...columnsOf(describeEvent),
  },
  (t) => [index("run_event_by_run").on(t.runId, t.id)],
);

export const worker = pgTable("worker", {
  ...columnsOf(describeWorker),
  /** It claims no more runs and finishes its active ones. */
  isLeaving: boolean("is_leaving").notNull().default(false),
  /** The versions of the other builds that its machine keeps, joined by commas. */
  keptVersions: text("kept_versions").notNull().default(""),
});
