import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Json } from "../../../contract/json.ts";
import type { RunError } from "../../../contract/run.ts";
import {
  logLevelCodes,
  runStatusCodes,
  startedByCodes,
  stepKindCodes,
  targetKindCodes,
  timelineKindCodes,
} from "../../../domain/stored-codes.ts";
import { hasFailedSql, isOpenSql } from "../stored-forms.ts";
import { code, json, named, publicId, uuid } from "./columns.ts";
import { delivery } from "./deliveries.ts";

export const run = sqliteTable(
  "run",
  {
    /** In the order of arrival. Never reused. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: publicId("id", "run").notNull(),
    status: code("status", runStatusCodes).notNull(),
    trigger: named("trigger"),
    attachment: named("attachment"),
    targetKind: code("target_kind", targetKindCodes).notNull(),
    targetSlug: named("target_slug").notNull(),
    /** Kind and slug as one name for claims: `workflow:welcome-email`. */
    target: named("target").notNull(),
    /** Deliveries are removed after their runs. */
    delivery: integer("delivery").references(() => delivery.seq),
    startedBy: code("started_by", startedByCodes).notNull(),
    /** No foreign key: the old run may have been removed. */
    replayOf: publicId("replay_of", "run"),
    /** The failed run whose `onFailure` it executes. No foreign key, too. */
    failureOf: publicId("failure_of", "run"),
    /** The webhook key that started it. */
    key: named("key"),
    version: named("version").notNull(),
    attempt: integer("attempt").notNull().default(0),
    maxAttempts: integer("max_attempts").notNull(),
    /** The attempts before the last resume. */
    attemptsBefore: integer("attempts_before").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    resumedAt: integer("resumed_at"),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    /** When a waiting run is due. For a queued run, which is always due, it is only the sort order. */
    availableAt: integer("available_at").notNull(),
    cancelRequestedAt: integer("cancel_requested_at"),
    /** The next claim continues the current attempt. */
    isResuming: integer("is_resuming", { mode: "boolean" }).notNull().default(false),
    /** Its process crashed with other runs in it, so it must be alone in the next process. */
    isIsolated: integer("is_isolated", { mode: "boolean" }).notNull().default(false),
    crashes: integer("crashes").notNull().default(0),
    /**
     * The fencing token of the last claim. It is kept when the worker's own write ends the claim, so that a repetition
     * of that write is recognized. NULL after the run was taken from its worker.
     */
    token: uuid("token"),
    /** Set only while the run is `running`. */
    workerId: publicId("worker_id", "wrk"),
    leaseUntil: integer("lease_until"),
    /** The number of the last progress written under this token. */
    progressSeq: integer("progress_seq").notNull().default(0),
    /** The timeline entries that the columns of this row imply; see `timeline.ts`. */
    impliedEntries: integer("implied_entries").notNull(),
    /** Duration in the last timeline entry. */
    durationMs: real("duration_ms"),
    /** Input and output tokens so far. Only for agents. */
    tokens: integer("tokens"),
    /** US dollars; NULL if unknown. */
    costUsd: real("cost_usd"),
    errorName: text("error_name"),
    errorMessage: text("error_message"),
    errorStack: text("error_stack"),
    /** JSON. Empty if it equals the body of the delivery byte for byte. */
    payload: text("payload"),
    /** JSON. Empty if it equals the payload. */
    input: text("input"),
    output: json("output").$type<Json>(),
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
    index("run_by_replay")
      .on(t.replayOf, t.createdAt, t.seq)
      .where(sql`replay_of IS NOT NULL`),
    index("run_by_failure")
      .on(t.failureOf, t.createdAt, t.seq)
      .where(sql`failure_of IS NOT NULL`),
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
  /** The claim that wrote it. Output of another claim is stale. */
  token: uuid("token").notNull(),
  step: text("step").notNull(),
  attempt: integer("attempt").notNull(),
  startedAt: integer("started_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  /** Grows with every write, for the mark of the store. */
  revision: integer("revision").notNull(),
  said: json("said").$type<Json>().notNull(),
});

export const runStep = sqliteTable(
  "run_step",
  {
    /** Order of the steps' starts. */
    position: integer("position").primaryKey(),
    run: runSeq(),
    name: text("name").notNull(),
    kind: code("kind", stepKindCodes).notNull(),
    attempt: integer("attempt").notNull(),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    until: integer("until"),
    result: json("result").$type<Json>(),
    /** Order of the completions. */
    sequence: integer("sequence"),
  },
  (t) => [uniqueIndex("run_step_by_name").on(t.run, t.name)],
);

/** The timeline entries that the columns of the run do not imply. WITHOUT ROWID. */
export const runEvent = sqliteTable(
  "run_event",
  {
    run: runSeq(),
    /** The id of the entry. */
    position: integer("position").notNull(),
    at: integer("at").notNull(),
    kind: code("kind", timelineKindCodes).notNull(),
    attempt: integer("attempt").notNull(),
    name: text("name"),
    level: code("level", logLevelCodes),
    message: text("message"),
    durationMs: real("duration_ms"),
    until: integer("until"),
    error: json("error").$type<RunError>(),
    data: json("data").$type<Json>(),
  },
  (t) => [primaryKey({ columns: [t.run, t.position] })],
);

export const worker = sqliteTable("worker", {
  id: text("id").primaryKey(),
  pid: integer("pid").notNull(),
  host: text("host").notNull(),
  version: text("version").notNull(),
  startedAt: integer("started_at").notNull(),
  seenAt: integer("seen_at").notNull(),
  pool: text("pool", { enum: ["shared", "isolated"] }),
  /** Its event loop turned a moment before `seenAt`. */
  isResponsive: integer("is_responsive", { mode: "boolean" }),
  freeSlots: integer("free_slots"),
});
