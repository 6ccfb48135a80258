import { sql } from "drizzle-orm";
import { bigserial, boolean, doublePrecision, index, integer, primaryKey } from "drizzle-orm/pg-core";
import type { Json } from "../../../contract/json.ts";
import type { TargetKind } from "../../../contract/project/target.ts";
import type { RunError, RunStatus, StartedBy } from "../../../contract/run.ts";
import type { LogLevel, TimelineKind } from "../../../contract/timeline.ts";
import { failedStatuses, openStatuses } from "../../../shared/runs/run-state.ts";
import { pgTable, json, text, whole } from "./columns.ts";
import { delivery } from "./deliveries.ts";

const hasStatus = (statuses: readonly RunStatus[]) =>
  `status IN (${statuses.map((status) => `'${status}'`).join(", ")})`;

/** Failed runs. A query uses the partial index only if it repeats this condition. */
export const hasFailedSql = hasStatus(failedStatuses);
/** Runs that have not ended. */
export const isOpenSql = hasStatus(openStatuses);

export const run = pgTable(
  "run",
  {
    id: text("id").primaryKey(),
    status: text("status").$type<RunStatus>().notNull(),
    trigger: text("trigger"),
    attachmentId: text("attachment_id"),
    targetKind: text("target_kind").$type<TargetKind>().notNull(),
    targetSlug: text("target_slug").notNull(),
    /** Kind and slug as one: `workflow:welcome-email`. */
    target: text("target").notNull(),
    deliveryId: text("delivery_id").references(() => delivery.id, { onDelete: "set null" }),
    startedBy: text("started_by").$type<StartedBy>().notNull(),
    /** No foreign key: the old run may have been removed. */
    replayOf: text("replay_of"),
    /** The failed run whose `onFailure` it executes. No foreign key, too. */
    failureOf: text("failure_of"),
    /** The webhook key that started it. No foreign key, as in `delivery`. */
    keyId: text("key_id"),
    version: text("version").notNull(),
    attempt: integer("attempt").notNull().default(0),
    maxAttempts: integer("max_attempts").notNull(),
    /** The attempts before the last resume. */
    attemptsBefore: integer("attempts_before").notNull().default(0),
    createdAt: whole("created_at").notNull(),
    resumedAt: whole("resumed_at"),
    startedAt: whole("started_at"),
    finishedAt: whole("finished_at"),
    /** When a waiting run is due. For a queued run, which is always due, it is only the sort order. */
    availableAt: whole("available_at").notNull(),
    cancelRequestedAt: whole("cancel_requested_at"),
    /** The next claim continues the current attempt. */
    isResuming: boolean("is_resuming").notNull().default(false),
    /** Its process crashed with other runs in it, so it must be alone in the next process. */
    isIsolated: boolean("is_isolated").notNull().default(false),
    crashes: integer("crashes").notNull().default(0),
    /**
     * The fencing token of the last claim. It is kept when the worker's own write ends the claim, so that a repetition
     * of that write is recognized. NULL after the run was taken from its worker.
     */
    token: text("token"),
    /** Set only while the run is `running`. */
    workerId: text("worker_id"),
    /** The queue with its job. Set only while the run is open. */
    jobQueue: text("job_queue"),
    /** The number of the last progress written under this token. */
    progressSeq: whole("progress_seq").notNull().default(0),
    errorName: text("error_name"),
    errorMessage: text("error_message"),
    errorStack: text("error_stack"),
    payload: json("payload").$type<Json>(),
    input: json("input").$type<Json>(),
    output: json("output").$type<Json>(),
    /** Input and output tokens so far. Only for agents. */
    tokens: whole("tokens"),
    /** US dollars; NULL if unknown. */
    costUsd: doublePrecision("cost_usd"),
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
    index("run_by_replay")
      .on(t.replayOf, t.createdAt, t.id)
      .where(sql`replay_of IS NOT NULL`),
    index("run_by_failure")
      .on(t.failureOf, t.createdAt, t.id)
      .where(sql`failure_of IS NOT NULL`),
    // Failures are counted by target. Runs that succeed are not in it.
    index("run_by_failure_time").on(t.target, t.finishedAt).where(sql.raw(hasFailedSql)),
    index("run_by_key")
      .on(t.keyId, t.createdAt, t.id)
      .where(sql`key_id IS NOT NULL`),
    // Open runs have their own small indexes, so that no cost depends on the history.
    index("run_queued_by_target")
      .on(t.target)
      .where(sql`status = 'queued'`),
    // Counted once a second.
    index("run_queued_isolated")
      .on(t.id)
      .where(sql`status = 'queued' AND is_isolated`),
    index("run_waiting")
      .on(t.isIsolated, t.availableAt)
      .where(sql`status = 'waiting'`),
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
  /** The claim that wrote it. Output of another claim is stale. */
  token: text("token").notNull(),
  step: text("step").notNull(),
  attempt: integer("attempt").notNull(),
  startedAt: whole("started_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  /** Grows with every write, for the mark of the store. */
  revision: whole("revision").notNull(),
  said: json("said").$type<Json>().notNull(),
});

export const runStep = pgTable(
  "run_step",
  {
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    kind: text("kind").$type<"step" | "sleep" | "approval">().notNull(),
    attempt: integer("attempt").notNull(),
    startedAt: whole("started_at").notNull(),
    finishedAt: whole("finished_at"),
    until: whole("until"),
    result: json("result").$type<Json>(),
    /** Order of the steps' starts. */
    position: bigserial("position", { mode: "number" }).notNull(),
    /** Order of the completions. */
    sequence: integer("sequence"),
  },
  (t) => [primaryKey({ columns: [t.runId, t.name] })],
);

export const runEvent = pgTable(
  "run_event",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    at: whole("at").notNull(),
    kind: text("kind").$type<TimelineKind>().notNull(),
    attempt: integer("attempt").notNull(),
    name: text("name"),
    level: text("level").$type<LogLevel>(),
    message: text("message"),
    durationMs: doublePrecision("duration_ms"),
    until: whole("until"),
    error: json("error").$type<RunError>(),
    data: json("data").$type<Json>(),
  },
  (t) => [index("run_event_by_run").on(t.runId, t.id)],
);

export const worker = pgTable("worker", {
  id: text("id").primaryKey(),
  pid: integer("pid").notNull(),
  host: text("host").notNull(),
  version: text("version").notNull(),
  startedAt: whole("started_at").notNull(),
  seenAt: whole("seen_at").notNull(),
  /** It claims no more runs and finishes its active ones. */
  isLeaving: boolean("is_leaving").notNull().default(false),
  /** The versions of the other builds that its machine keeps, joined by commas. */
  keptVersions: text("kept_versions").notNull().default(""),
  // NULL: a worker of an older version.
  pool: text("pool").$type<"shared" | "isolated">(),
  /** Its event loop turned a moment before `seen_at`. */
  isResponsive: boolean("is_responsive"),
  freeSlots: integer("free_slots"),
});
