import { sql } from "drizzle-orm";
import {
  blob,
  customType,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { DeliveryOutcome, VerdictOutcome } from "../../contract/delivery.ts";
import type { Json } from "../../contract/json.ts";
import type { KeyKind } from "../../contract/access/key.ts";
import type { PresetSubject } from "../../contract/preset.ts";
import type { AuditActor } from "../../contract/access/audit.ts";
import type { Invitation, Role } from "../../contract/access/person.ts";
import type { Problem } from "../../contract/problem.ts";
import type { RunError, RunStatus, StartedBy } from "../../contract/run.ts";
import type { Scope } from "../../contract/access/scope.ts";
import type { TargetKind } from "../../contract/project/target.ts";
import type { LogLevel, TimelineKind } from "../../contract/timeline.ts";
import type { StoredVerdicts } from "../shared/stored-verdicts.ts";

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value survives.
 * Drizzle's own JSON mode would write a placeholder's `null` as the text "null".
 */
const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => "text",
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

// All times are UTC milliseconds. Wide columns stand last: SQLite reads a row from its start, and lists never reach them.

export const delivery = sqliteTable(
  "delivery",
  {
    id: text("id").primaryKey(),
    endpoint: text("endpoint").notNull(),
    receivedAt: integer("received_at").notNull(),
    method: text("method").notNull(),
    outcome: text("outcome").$type<DeliveryOutcome>().notNull(),
    responseStatus: integer("response_status").notNull(),
    durationMs: real("duration_ms").notNull(),
    bodyBytes: integer("body_bytes").notNull(),
    bodySha256: text("body_sha256"),
    /** A note, not a reference: history outlives keys. */
    keyId: text("key_id"),
    headers: json("headers").$type<Record<string, string>>().notNull(),
    problem: json("problem").$type<Problem>(),
    verdicts: json("verdicts").$type<StoredVerdicts>().notNull(),
    body: blob("body", { mode: "buffer" }),
    /** A note, not a reference: the first delivery may be gone. */
    redeliveryOf: text("redelivery_of"),
    /** The set that `verdicts` refers to. */
    verdictSet: integer("verdict_set").references(() => verdictSet.id),
  },
  // Behind its order, an index has what a second filter asks, so that looking through it never reads the wide rows.
  (t) => [
    index("delivery_by_time").on(t.receivedAt, t.id),
    index("delivery_by_endpoint").on(t.endpoint, t.receivedAt, t.id, t.outcome, t.responseStatus),
    index("delivery_by_outcome").on(t.outcome, t.receivedAt, t.id, t.endpoint, t.responseStatus),
    index("delivery_by_response_status").on(t.responseStatus, t.receivedAt, t.id, t.endpoint, t.outcome),
    index("delivery_by_redelivery")
      .on(t.redeliveryOf, t.receivedAt, t.id)
      .where(sql`redelivery_of IS NOT NULL`),
    index("delivery_by_verdict_set")
      .on(t.verdictSet)
      .where(sql`verdict_set IS NOT NULL`),
  ],
);

/** Verdicts that deliveries have in common. Never changed; ids never come again. */
export const verdictSet = sqliteTable(
  "verdict_set",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** SHA-256 of the verdicts as JSON, hex. */
    hash: text("hash").notNull(),
    /** Which trigger decided what, a line each. */
    decided: text("decided").notNull(),
    /** JSON, raw deflate (RFC 1951). */
    verdicts: blob("verdicts", { mode: "buffer" }).notNull(),
  },
  (t) => [uniqueIndex("verdict_set_by_hash").on(t.hash)],
);

export const run = sqliteTable(
  "run",
  {
    id: text("id").primaryKey(),
    status: text("status").$type<RunStatus>().notNull(),
    trigger: text("trigger"),
    attachmentId: text("attachment_id"),
    targetKind: text("target_kind").$type<TargetKind>().notNull(),
    targetSlug: text("target_slug").notNull(),
    /**
     * Kind and slug as one, which claims go by: `workflow:welcome-email`. Not generated: no index covers a generated
     * column.
     */
    target: text("target").notNull(),
    deliveryId: text("delivery_id").references(() => delivery.id, { onDelete: "set null" }),
    startedBy: text("started_by").$type<StartedBy>().notNull(),
    /** A note, not a reference: the old run may be gone. */
    replayOf: text("replay_of"),
    /** The webhook key that started it. A note, as in `delivery`. */
    keyId: text("key_id"),
    version: text("version").notNull(),
    attempt: integer("attempt").notNull().default(0),
    maxAttempts: integer("max_attempts").notNull(),
    createdAt: integer("created_at").notNull(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    /** When a waiting run is due. A queued run is due whatever stands here; it only gives the order. */
    availableAt: integer("available_at").notNull(),
    cancelRequestedAt: integer("cancel_requested_at"),
    /** The next claim goes on with the attempt that had begun. */
    isResuming: integer("is_resuming", { mode: "boolean" }).notNull().default(false),
    /** Its process crashed with neighbours: it must be alone in the next. */
    isIsolated: integer("is_isolated", { mode: "boolean" }).notNull().default(false),
    crashes: integer("crashes").notNull().default(0),
    /** Set while it is `running`, and only then. */
    token: text("token"),
    workerId: text("worker_id"),
    leaseUntil: integer("lease_until"),
    errorName: text("error_name"),
    errorMessage: text("error_message"),
    errorStack: text("error_stack"),
    payload: json("payload").$type<Json>(),
    input: json("input").$type<Json>(),
    output: json("output").$type<Json>(),
    /**
     * Input and output tokens so far; of agents only. It stands behind the wide columns: lists read it from
     * `run_by_spend`.
     */
    tokens: integer("tokens"),
    /** US dollars; NULL where it is not known. */
    costUsd: real("cost_usd"),
  },
  (t) => [
    // A version is a stretch of time: what it began and ended with is soon found by looking through this.
    index("run_by_time").on(t.createdAt, t.id, t.version, t.targetKind),
    index("run_by_trigger").on(t.trigger, t.createdAt, t.id, t.targetSlug, t.targetKind, t.version),
    // How a target did of late is answered from here alone: status and times stand in it, though they change.
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
    ),
    index("run_by_status").on(t.status, t.createdAt, t.id, t.trigger, t.targetSlug, t.targetKind, t.version),
    index("run_by_delivery").on(t.deliveryId, t.createdAt, t.id),
    index("run_by_replay")
      .on(t.replayOf, t.createdAt, t.id)
      .where(sql`replay_of IS NOT NULL`),
    index("run_by_key")
      .on(t.keyId, t.createdAt, t.id)
      .where(sql`key_id IS NOT NULL`),
    // What is open has its own small indexes, so that claims cost the same however long the history is.
    index("run_open")
      .on(t.isIsolated, t.target, t.status, t.availableAt, t.id)
      .where(sql`status IN ('queued', 'waiting')`),
    index("run_waiting")
      .on(t.isIsolated, t.availableAt)
      .where(sql`status = 'waiting'`),
    index("run_running_by_target")
      .on(t.target)
      .where(sql`status = 'running'`),
    index("run_by_lease")
      .on(t.leaseUntil)
      .where(sql`lease_until IS NOT NULL`),
    index("run_by_worker")
      .on(t.workerId)
      .where(sql`worker_id IS NOT NULL`),
    // What agents used is filtered and summed from here alone; runs of workflows are not in it.
    index("run_by_spend")
      .on(t.createdAt, t.id, t.tokens, t.costUsd, t.targetSlug, t.status, t.trigger, t.version)
      .where(sql`tokens IS NOT NULL`),
  ],
);

/**
 * What the model of an agent's run has said so far, in the call that is under way. Not a part of the history: it goes
 * with the step that it becomes.
 */
export const runLive = sqliteTable("run_live", {
  runId: text("run_id")
    .primaryKey()
    .references(() => run.id, { onDelete: "cascade" }),
  /** Whose claim wrote it: of another one it is stale. */
  token: text("token").notNull(),
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
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    kind: text("kind").$type<"step" | "sleep" | "approval">().notNull(),
    attempt: integer("attempt").notNull(),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    until: integer("until"),
    result: json("result").$type<Json>(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.name] })],
);

export const runEvent = sqliteTable(
  "run_event",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    runId: text("run_id")
      .notNull()
      .references(() => run.id, { onDelete: "cascade" }),
    at: integer("at").notNull(),
    kind: text("kind").$type<TimelineKind>().notNull(),
    attempt: integer("attempt").notNull(),
    name: text("name"),
    level: text("level").$type<LogLevel>(),
    message: text("message"),
    durationMs: real("duration_ms"),
    until: integer("until"),
    error: json("error").$type<RunError>(),
    data: json("data").$type<Json>(),
  },
  (t) => [index("run_event_by_run").on(t.runId, t.id)],
);

export const idempotencyKey = sqliteTable(
  "idempotency_key",
  {
    endpoint: text("endpoint").notNull(),
    key: text("key").notNull(),
    /** The delivery that was accepted first. */
    deliveryId: text("delivery_id")
      .notNull()
      .references(() => delivery.id, { onDelete: "cascade" }),
    bodySha256: text("body_sha256"),
    acceptedAt: integer("accepted_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.key] }), index("idempotency_key_by_delivery").on(t.deliveryId)],
);

/**
 * Counts, kept by minute and by hour (of verdicts by day, too), of deliveries (no attachment) and of verdicts, on an
 * endpoint or (no endpoint) on all. WITHOUT ROWID.
 */
export const traffic = sqliteTable(
  "traffic",
  {
    bucketMs: integer("bucket_ms").notNull(),
    endpoint: text("endpoint").notNull(),
    attachmentId: text("attachment_id").notNull(),
    at: integer("at").notNull(),
    outcome: text("outcome").$type<DeliveryOutcome | VerdictOutcome>().notNull(),
    count: integer("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.bucketMs, t.endpoint, t.attachmentId, t.at, t.outcome] })],
);

/** What each commit counted, as JSON, until it is added to `traffic`. Ids never come again. */
export const trafficLog = sqliteTable("traffic_log", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  counts: text("counts").notNull(),
});

export const preset = sqliteTable(
  "preset",
  {
    id: text("id").primaryKey(),
    subjectKind: text("subject_kind").$type<PresetSubject["kind"]>().notNull(),
    subjectSlug: text("subject_slug").notNull(),
    name: text("name").notNull(),
    savedAt: integer("saved_at").notNull(),
    /** JSON `null` may be kept: it stands as the text "null". */
    value: text("value").notNull(),
  },
  (t) => [uniqueIndex("preset_by_name").on(t.subjectKind, t.subjectSlug, t.name)],
);

export const webhookKey = sqliteTable(
  "webhook_key",
  {
    id: text("id").primaryKey(),
    kind: text("kind").$type<KeyKind>().notNull(),
    name: text("name").notNull(),
    hint: text("hint").notNull(),
    hash: text("hash").notNull(),
    ciphertext: text("ciphertext"),
    endpoints: json("endpoints").$type<string[]>(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
    /** Of API tokens; those of before there were scopes have none, and may do everything. */
    scope: text("scope").$type<Scope>(),
    /** The key that took its place. A note, not a reference. */
    replacedBy: text("replaced_by"),
    /** Of API tokens. A note, not a reference: a revoked token outlives whose it was. */
    ownerId: text("owner_id"),
  },
  (t) => [
    uniqueIndex("webhook_key_by_hash").on(t.hash),
    index("webhook_key_by_kind").on(t.kind, t.createdAt, t.id),
    index("webhook_key_by_owner")
      .on(t.ownerId)
      .where(sql`owner_id IS NOT NULL`),
  ],
);

/** Triggers that are, or once were, switched off. By slug, so that it outlives builds, and a trigger that comes back. */
export const triggerSwitch = sqliteTable("trigger_switch", {
  slug: text("slug").primaryKey(),
  disabledAt: integer("disabled_at"),
  reason: text("reason"),
  /** Grows with every change of any switch. */
  revision: integer("revision").notNull(),
});

// People. The library that signs them in (better-auth) reads and writes the next four tables by itself, so the names of their fields are its own.

const moment = (name: string) => integer(name, { mode: "timestamp_ms" });

export const person = sqliteTable(
  "person",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
    image: text("image"),
    role: text("role").$type<Role>().notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [uniqueIndex("person_by_email").on(t.email)],
);

const personId = () =>
  text("person_id")
    .notNull()
    .references(() => person.id, { onDelete: "cascade" });

export const personSession = sqliteTable(
  "person_session",
  {
    id: text("id").primaryKey(),
    userId: personId(),
    token: text("token").notNull(),
    expiresAt: moment("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: moment("created_at").notNull(),
    /** When it was last seen, to the minute. */
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("person_session_by_token").on(t.token),
    index("person_session_by_person").on(t.userId, t.updatedAt),
    index("person_session_by_expiry").on(t.expiresAt),
  ],
);

/** A way to sign in: a password, or an account elsewhere. */
export const personAccount = sqliteTable(
  "person_account",
  {
    id: text("id").primaryKey(),
    userId: personId(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text("scope"),
    /** Scrypt, with its salt. */
    password: text("password"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("person_account_by_person").on(t.userId),
    uniqueIndex("person_account_by_provider").on(t.providerId, t.accountId),
  ],
);

/** What is under way between leaving for a sign-in elsewhere and coming back. */
export const personVerification = sqliteTable(
  "person_verification",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("person_verification_by_identifier").on(t.identifier),
    index("person_verification_by_expiry").on(t.expiresAt),
  ],
);

export const invitation = sqliteTable(
  "invitation",
  {
    id: text("id").primaryKey(),
    kind: text("kind").$type<Invitation["kind"]>().notNull(),
    hash: text("hash").notNull(),
    role: text("role").$type<Role>().notNull(),
    note: text("note").notNull(),
    createdBy: text("created_by").notNull(),
    /** The person behind it. A note, not a reference, as the next. */
    createdById: text("created_by_id"),
    /** Whose password it sets. */
    personId: text("person_id"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    acceptedAt: integer("accepted_at"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [
    uniqueIndex("invitation_by_hash").on(t.hash),
    // Those that were used or withdrawn stay, and are never looked at again.
    index("invitation_open")
      .on(t.expiresAt)
      .where(sql`accepted_at IS NULL AND revoked_at IS NULL`),
  ],
);

/** Who did what. Notes, not references: it outlives whom and what it names. */
export const auditEntry = sqliteTable(
  "audit_entry",
  {
    id: text("id").primaryKey(),
    at: integer("at").notNull(),
    action: text("action").notNull(),
    actorKind: text("actor_kind").$type<AuditActor["kind"]>().notNull(),
    actorId: text("actor_id"),
    actorName: text("actor_name"),
    subject: text("subject"),
    address: text("address"),
    detail: json("detail").$type<Json>(),
  },
  (t) => [
    index("audit_entry_by_time").on(t.at, t.id),
    index("audit_entry_by_action").on(t.action, t.at, t.id),
    index("audit_entry_by_actor").on(t.actorId, t.at, t.id),
  ],
);

export const worker = sqliteTable("worker", {
  id: text("id").primaryKey(),
  pid: integer("pid").notNull(),
  host: text("host").notNull(),
  version: text("version").notNull(),
  startedAt: integer("started_at").notNull(),
  seenAt: integer("seen_at").notNull(),
});
