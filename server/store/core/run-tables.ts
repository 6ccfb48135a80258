import type { Json } from "../../contract/json.ts";
import type { EventMatch, RunError } from "../../contract/run.ts";
import { childLinkCodes } from "../../domain/runs/child-runs.ts";
import { keySlotCodes } from "../../domain/runs/key-slots.ts";
import {
  logLevelCodes,
  runStatusCodes,
  startedByCodes,
  stepKindCodes,
  targetKindCodes,
  timelineKindCodes,
} from "../../domain/stored-codes.ts";
import type { ColumnTypes, NameColumns } from "./column-types.ts";

export type RunTables = ReturnType<typeof describeRunTables>;

/** The tables of runs as the operations of the core read them: with names as strings. */
export const describeRunTables = (types: ColumnTypes & NameColumns<string>) => ({
  run: types.table("run", { key: types.ownKey(), ...describeRun(types) }),
  runStep: types.table("run_step", { run: types.reference("run"), ...describeStep(types) }),
  runWait: types.table("run_wait", { run: types.reference("run"), ...describeWait(types) }),
});

/** The columns of `run` that both databases have. Wide columns are last: SQLite reads a row from its start. */
export function describeRun<Form extends string | number>(types: ColumnTypes & NameColumns<Form>) {
  const { ownId, publicId, uuid, code, name, text, whole, small, real, flag, json } = types;
  return {
    id: ownId("id", "run"),
    status: code("status", runStatusCodes).notNull(),
    trigger: name("trigger"),
    attachmentId: name("attachment", { isId: true }),
    targetKind: code("target_kind", targetKindCodes).notNull(),
    targetSlug: name("target_slug").notNull(),
    /** Kind and slug as one name for claims: `workflow:welcome-email`. */
    target: name("target").notNull(),
    startedBy: code("started_by", startedByCodes).notNull(),
    /** No foreign key: the old run may have been removed. */
    replayOf: publicId("replay_of", "run"),
    /** The failed run whose `onFailure` it executes. No foreign key, too. */
    failureOf: publicId("failure_of", "run"),
    /** Its parent: the run that called or started it. No foreign key, too. */
    childOf: publicId("child_of", "run"),
    /** The name of the parent's step, in the form in which it is stored. */
    childStep: text("child_step"),
    childLink: code("child_link", childLinkCodes),
    /** 0: it has no parent. */
    depth: small("depth").notNull().default(0),
    /** It has called child runs. */
    isParent: flag("is_parent").notNull().default(false),
    /** Set if its parent or its children do not know yet that it has ended, or that it no longer waits. */
    settleAt: whole("settle_at"),
    /** The webhook key that started it. No foreign key: history outlives keys. */
    keyId: name("key", { isId: true }),
    /** What the run is about. Empty: the webhook had no value for it. */
    runKey: text("run_key"),
    version: name("version").notNull(),
    attempt: small("attempt").notNull().default(0),
    maxAttempts: small("max_attempts").notNull(),
    /** The attempts before the last resume. */
    attemptsBefore: small("attempts_before").notNull().default(0),
    createdAt: whole("created_at").notNull(),
    resumedAt: whole("resumed_at"),
    startedAt: whole("started_at"),
    finishedAt: whole("finished_at"),
    /**
     * When a waiting run is due. For a queued run, which is always due, it is only the sort order. `notDueAt`: the run
     * waits for a slot of its key.
     */
    availableAt: whole("available_at").notNull(),
    cancelRequestedAt: whole("cancel_requested_at"),
    /** The next claim continues the current attempt. */
    isResuming: flag("is_resuming").notNull().default(false),
    /** Its process crashed with other runs in it, so it must be alone in the next process. */
    isIsolated: flag("is_isolated").notNull().default(false),
    crashes: small("crashes").notNull().default(0),
    /** Only if its target limits the runs of each key. A failed run keeps its slot while it blocks the key. */
    keySlot: code("key_slot", keySlotCodes),
    /** The order of runs that wait for a slot. */
    keyOrder: whole("key_order"),
    /**
     * The fencing token of the last claim. It is kept when the worker's own write ends the claim, so that a repetition
     * of that write is recognized. NULL after the run was taken from its worker.
     */
    token: uuid("token"),
    /** Set only while the run is `running`. */
    workerId: publicId("worker_id", "wrk"),
    /** The number of the last progress written under this token. */
    progressSeq: whole("progress_seq").notNull().default(0),
    /** Input and output tokens so far. Only for agents. */
    tokens: whole("tokens"),
    /** US dollars; NULL if unknown. */
    costUsd: real("cost_usd"),
    errorName: text("error_name"),
    errorMessage: text("error_message"),
    errorStack: text("error_stack"),
    output: json("output").$type<Json>(),
  };
}

/** The columns of `run_step` except the run. */
export const describeStep = ({ text, code, small, whole, json, order }: ColumnTypes) => ({
  /** Order of the steps' starts. */
  position: order("position"),
  name: text("name").notNull(),
  kind: code("kind", stepKindCodes).notNull(),
  attempt: small("attempt").notNull(),
  startedAt: whole("started_at").notNull(),
  finishedAt: whole("finished_at"),
  until: whole("until"),
  result: json("result").$type<Json>(),
  /** Order of the completions. */
  sequence: small("sequence"),
});

/** The columns of `run_wait` except the run: an event that a run waits for, or has waited for. */
export const describeWait = ({ text, whole, flag, json, order, publicId, hex }: ColumnTypes) => ({
  position: order("position"),
  step: text("step").notNull(),
  /** The name of the event in a wait for one of several; empty: it is the only one. */
  branch: text("branch").notNull(),
  source: text("source").notNull(),
  match: json("match").$type<EventMatch>().notNull(),
  /** Finds the waits of a delivery; see `keyOfWait`. */
  matchKey: hex("match_key").notNull(),
  since: whole("since").notNull(),
  until: whole("until").notNull(),
  /** Earlier deliveries were searched, so the next one ends the wait. */
  isSearched: flag("is_searched").notNull().default(false),
  /** When such a search is final. NULL: it was made. */
  searchAt: whole("search_at"),
  /** The delivery that ended the wait. No foreign key: it may be removed before the run. */
  deliveryId: publicId("delivery", "dlv"),
});

/** The columns of `run_event` except the run and the number of the entry. */
export const describeEvent = ({ whole, code, small, text, real, json }: ColumnTypes) => ({
  at: whole("at").notNull(),
  kind: code("kind", timelineKindCodes).notNull(),
  attempt: small("attempt").notNull(),
  name: text("name"),
  level: code("level", logLevelCodes),
  message: text("message"),
  durationMs: real("duration_ms"),
  until: whole("until"),
  error: json("error").$type<RunError>(),
  data: json("data").$type<Json>(),
});

/** The columns of `run_live` except the run. */
export const describeLive = ({ uuid, text, small, whole, json }: ColumnTypes) => ({
  /** The claim that wrote it. Output of another claim is stale. */
  token: uuid("token").notNull(),
  step: text("step").notNull(),
  attempt: small("attempt").notNull(),
  startedAt: whole("started_at").notNull(),
  updatedAt: whole("updated_at").notNull(),
  /** Grows with every write, for the mark of the store. */
  revision: whole("revision").notNull(),
  said: json("said").$type<Json>().notNull(),
});

export const describeWorker = ({ text, small, whole, flag }: ColumnTypes) => ({
  id: text("id").primaryKey(),
  pid: small("pid").notNull(),
  host: text("host").notNull(),
  version: text("version").notNull(),
  startedAt: whole("started_at").notNull(),
  seenAt: whole("seen_at").notNull(),
  pool: text("pool").$type<"shared" | "isolated">(),
  /** Its event loop turned a moment before `seenAt`. */
  isResponsive: flag("is_responsive"),
  freeSlots: small("free_slots"),
});
