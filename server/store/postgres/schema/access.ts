import { sql } from "drizzle-orm";
import { boolean, index, pgTable, uniqueIndex } from "drizzle-orm/pg-core";
import type { AuditActor } from "../../../contract/access/audit.ts";
import type { KeyKind } from "../../../contract/access/key.ts";
import type { Invitation, Role } from "../../../contract/access/person.ts";
import type { Scope } from "../../../contract/access/scope.ts";
import type { Json } from "../../../contract/json.ts";
import { json, moment, text, whole } from "./columns.ts";

export const webhookKey = pgTable(
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

// better-auth reads and writes the person tables directly, so their field names are its own.

export const person = pgTable(
  "person",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    emailVerified: boolean("email_verified").notNull().default(false),
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

export const personSession = pgTable(
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
export const personAccount = pgTable(
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
export const personVerification = pgTable(
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

export const invitation = pgTable(
  "invitation",
  {
    id: text("id").primaryKey(),
    kind: text("kind").$type<Invitation["kind"]>().notNull(),
    hash: text("hash").notNull(),
    role: text("role").$type<Role>().notNull(),
    note: text("note").notNull(),
    createdBy: text("created_by").notNull(),
    /** The person who created it. No foreign key, like the next. */
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

/** The audit log. Ids without foreign keys: an entry outlives its actor and its subject. */
export const auditEntry = pgTable(
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
