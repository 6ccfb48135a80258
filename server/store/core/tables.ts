import { sql } from "drizzle-orm";
import type { AuditActor } from "../../contract/access/audit.ts";
import type { KeyKind } from "../../contract/access/key.ts";
import type { Invitation, Role } from "../../contract/access/person.ts";
import type { AlertKind, AlertMessageType, Destination } from "../../contract/alert.ts";
import type { Scope } from "../../contract/access/scope.ts";
import type { Json } from "../../contract/json.ts";
import type { PresetSubject } from "../../contract/preset.ts";
import type { StartedRun } from "../../domain/runs/start-key.ts";
import type { StoredAlert } from "../../domain/alerts/plan-alerts.ts";
import type { ColumnTypes } from "./column-types.ts";

/** Typed as tables of SQLite; see StoreDatabase. */
export type CoreTables = ReturnType<typeof describeTables>;

/** The tables that are the same in both databases: access, presets, trigger switches and alerts. */
export function describeTables({ table, text, whole, flag, moment, json, index, uniqueIndex }: ColumnTypes) {
  const webhookKey = table(
    "webhook_key",
    {
      id: text("id").primaryKey(),
      kind: text("kind").$type<KeyKind>().notNull(),
      name: text("name").notNull(),
      hint: text("hint").notNull(),
      hash: text("hash").notNull(),
      ciphertext: text("ciphertext"),
      endpoints: json("endpoints").$type<string[]>(),
      createdAt: whole("created_at").notNull(),
      expiresAt: whole("expires_at"),
      lastUsedAt: whole("last_used_at"),
      revokedAt: whole("revoked_at"),
      /** Of API tokens. */
      scope: text("scope").$type<Scope>(),
      /** The key that replaced it. No foreign key. */
      replacedBy: text("replaced_by"),
      /** Of API tokens. No foreign key: a revoked token stays after its owner is removed. */
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

  // better-auth reads and writes the person tables directly, so the field names are better-auth's.

  const person = table(
    "person",
    {
      id: text("id").primaryKey(),
      name: text("name").notNull(),
      email: text("email").notNull(),
      emailVerified: flag("email_verified").notNull().default(false),
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

  const personSession = table(
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

  /** A sign-in method: a password, or an account at a provider. */
  const personAccount = table(
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

  /** Sign-ins at a provider that are in progress. */
  const personVerification = table(
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

  /** Who may come back by invitation only. */
  const removedPerson = table(
    "removed_person",
    {
      /** An address, or an account at a provider; see `removedIds`. */
      id: text("id").primaryKey(),
      email: text("email").notNull(),
      removedAt: whole("removed_at").notNull(),
    },
    (t) => [index("removed_person_by_email").on(t.email)],
  );

  const invitation = table(
    "invitation",
    {
      id: text("id").primaryKey(),
      kind: text("kind").$type<Invitation["kind"]>().notNull(),
      hash: text("hash").notNull(),
      role: text("role").$type<Role>().notNull(),
      note: text("note").notNull(),
      createdBy: text("created_by").notNull(),
      /** The person who created it. No foreign key; also for `personId`. */
      createdById: text("created_by_id"),
      /** The person whose password it sets. */
      personId: text("person_id"),
      createdAt: whole("created_at").notNull(),
      expiresAt: whole("expires_at").notNull(),
      acceptedAt: whole("accepted_at"),
      revokedAt: whole("revoked_at"),
    },
    (t) => [
      uniqueIndex("invitation_by_hash").on(t.hash),
      // Used and revoked invitations stay in the table. No query reads them.
      index("invitation_open")
        .on(t.expiresAt)
        .where(sql`accepted_at IS NULL AND revoked_at IS NULL`),
    ],
  );

  /** The audit log. Ids have no foreign keys: an entry stays after its actor and its subject are removed. */
  const auditEntry = table(
    "audit_entry",
    {
      id: text("id").primaryKey(),
      at: whole("at").notNull(),
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

  const preset = table(
    "preset",
    {
      id: text("id").primaryKey(),
      subjectKind: text("subject_kind").$type<PresetSubject["kind"]>().notNull(),
      subjectSlug: text("subject_slug").notNull(),
      name: text("name").notNull(),
      savedAt: whole("saved_at").notNull(),
      /** JSON text, so that the JSON value `null` differs from NULL. */
      value: text("value").notNull(),
    },
    (t) => [uniqueIndex("preset_by_name").on(t.subjectKind, t.subjectSlug, t.name)],
  );

  /** Triggers that are or were disabled. By slug, so that the state survives builds. */
  const triggerSwitch = table("trigger_switch", {
    slug: text("slug").primaryKey(),
    disabledAt: whole("disabled_at"),
    reason: text("reason"),
    /** Increases with every change of any switch. */
    revision: whole("revision").notNull(),
  });

  /** The idempotency keys of requests that started runs. No foreign keys: a run can be removed before. */
  const runStart = table(
    "run_start",
    {
      /** Hash of the key and of what was started. */
      id: text("id").primaryKey(),
      bodySha256: text("body_sha256").notNull(),
      at: whole("at").notNull(),
      runs: json("runs").$type<StartedRun[]>().notNull(),
    },
    (t) => [index("run_start_by_time").on(t.at)],
  );

  const alert = table(
    "alert",
    {
      id: text("id").primaryKey(),
      kind: text("kind").$type<AlertKind>().notNull(),
      subject: text("subject").notNull(),
      count: whole("count").notNull(),
      detail: json("detail").$type<{ [name: string]: Json }>().notNull(),
      openedAt: whole("opened_at").notNull(),
      lastAt: whole("last_at").notNull(),
      resolvedAt: whole("resolved_at"),
      reportedCount: whole("reported_count"),
    },
    (t) => [
      // A cause has one open alert.
      uniqueIndex("alert_open")
        .on(t.kind, t.subject)
        .where(sql`resolved_at IS NULL`),
      index("alert_by_time").on(t.openedAt, t.id),
      index("alert_by_end").on(t.resolvedAt),
    ],
  );

  /** Messages to send, and those of the past. No foreign key: they are removed together. */
  const alertMessage = table(
    "alert_message",
    {
      id: text("id").primaryKey(),
      alertId: text("alert_id").notNull(),
      type: text("type").$type<AlertMessageType>().notNull(),
      destination: text("destination").$type<Destination>().notNull(),
      /** The alert as it was then: every attempt sends the same. */
      alert: json("alert").$type<StoredAlert>().notNull(),
      createdAt: whole("created_at").notNull(),
      attempts: whole("attempts").notNull().default(0),
      /** When the next attempt is due, or the lease of the current one ends. NULL: it was sent or has failed. */
      dueAt: whole("due_at"),
      sentAt: whole("sent_at"),
      error: text("error"),
    },
    (t) => [
      index("alert_message_by_alert").on(t.alertId, t.createdAt),
      index("alert_message_by_time").on(t.createdAt),
      index("alert_message_due")
        .on(t.dueAt)
        .where(sql`due_at IS NOT NULL`),
    ],
  );

  /** One row: of several machines, one writes each evaluation. */
  const alertWatch = table("alert_watch", {
    id: text("id").primaryKey(),
    evaluatedAt: whole("evaluated_at").notNull(),
    /** Increases with every change of alerts and messages. */
    revision: whole("revision").notNull().default(0),
  });

  /** What upkeep has recorded of the deliveries of an endpoint, by kind of event. An endpoint has no space. */
  const eventContract = table(
    "event_contract",
    {
      /** `<endpoint> <kind>` */
      id: text("id").primaryKey(),
      endpoint: text("endpoint").notNull(),
      kind: text("kind").notNull(),
      revision: whole("revision").notNull(),
      lastSeen: whole("last_seen").notNull(),
      content: text("content").notNull(),
    },
    (t) => [index("event_contract_by_endpoint").on(t.endpoint, t.kind), index("event_contract_by_age").on(t.lastSeen)],
  );

  /** The sets of paths by which runs have waited for events of a source: few, because the code of workflows has them. */
  const waitPaths = table(
    "wait_paths",
    {
      /** `<source> <paths>`; a source has no space. */
      id: text("id").primaryKey(),
      source: text("source").notNull(),
      paths: text("paths").notNull(),
    },
    (t) => [index("wait_paths_by_source").on(t.source)],
  );

  /** The keys that encrypted content of this store; see `encryption`. */
  const contentKey = table("content_key", {
    id: text("id").primaryKey(),
    since: whole("since").notNull(),
    retiredAt: whole("retired_at"),
  });

  /** One row: what upkeep has recorded of the clock, and of what it removed. */
  const clockWatch = table("clock_watch", {
    id: text("id").primaryKey(),
    seenAt: whole("seen_at").notNull(),
    trustedAt: whole("trusted_at"),
    waitingSince: whole("waiting_since"),
    removedBefore: whole("removed_before").notNull().default(0),
  });

  return {
    alert,
    alertMessage,
    alertWatch,
    webhookKey,
    person,
    personSession,
    personAccount,
    personVerification,
    removedPerson,
    invitation,
    auditEntry,
    preset,
    triggerSwitch,
    runStart,
    eventContract,
    waitPaths,
    contentKey,
    clockWatch,
  };
}
