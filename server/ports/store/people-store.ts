import type { AuditActor, AuditEntry } from "../../contract/access/audit.ts";
import type { AuditAction } from "../../contract/access/audit-actions.ts";
import type { Json } from "../../contract/json.ts";
import type { PersonChange } from "../../shared/access/people.ts";
import type { Page } from "../../contract/list.ts";
import type { Invitation, Person, PersonSession, Role } from "../../contract/access/person.ts";

/** One line of the audit log. */
export interface NewAuditEntry {
  id: string;
  /** UTC milliseconds. */
  at: number;
  action: AuditAction;
  actor: AuditActor;
  subject: string | null;
  address: string | null;
  detail: Json;
}

interface AuditFilter {
  action?: AuditAction;
  actorId?: string;
  /** Start of the range (inclusive), UTC milliseconds. */
  since?: number;
  /** End of the range (exclusive). */
  until?: number;
}

export interface AuditStore {
  recordAudit(entry: NewAuditEntry): Promise<void>;
  /** Newest first; see PageRequest. */
  listAudit(filter: AuditFilter, page: { limit: number; cursor: string | null }): Promise<Page<AuditEntry>>;
}

interface NewInvitation {
  id: string;
  kind: Invitation["kind"];
  /** SHA-256 of the token in the link, hex. */
  hash: string;
  role: Role;
  note: string;
  createdBy: string;
  /** The person's id, if known. */
  createdById: string | null;
  /** The person whose password a `reset` sets. */
  personId: string | null;
  createdAt: number;
  expiresAt: number;
}

/**
 * Every operation that changes data writes its line of the audit log in the same transaction. Without a change, it
 * writes none.
 */
export interface PeopleStore {
  countPeople(): Promise<number>;
  /** By name. */
  listPeople(now: number): Promise<Person[]>;
  /** An unexpired session and its person. */
  findSession(token: string, now: number): Promise<{ session: PersonSession; person: Person } | null>;
  touchSession(id: string, now: number): Promise<void>;
  /** Unexpired sessions, last seen first; `personId: null` returns those of all people. */
  listSessions(personId: string | null, now: number): Promise<PersonSession[]>;
  /** Returns `false` if there is no such session of this person (`null`: of any person). */
  endSession(p: { id: string; personId: string | null; audit: NewAuditEntry }): Promise<boolean>;
  /** The person's current role; `null` if there is no such person. */
  findRole(personId: string): Promise<Role | null>;
  /** Takes effect with the person's next request. The invitation links of a person who is no longer an admin expire. */
  changeRole(p: { id: string; role: Role; now: number; audit: NewAuditEntry }): Promise<PersonChange>;
  /**
   * Removes the person with their sessions, sign-in methods and invitation links. Their API tokens are revoked, and
   * `auditToken` is written for each. See `isRemovedPerson`.
   */
  removePerson(p: {
    id: string;
    now: number;
    audit: NewAuditEntry;
    auditToken: (keyId: string) => NewAuditEntry;
  }): Promise<PersonChange>;
  /**
   * Whether a person with this address or this account at the provider was removed, and has not accepted an invitation
   * since. `accountId`: `null` if it is unknown.
   */
  isRemovedPerson(p: { email: string; providerId: string; accountId: string | null }): Promise<boolean>;
  /** The scrypt hash of the identity provider; `null` if the person has no password. */
  findPasswordHash(personId: string): Promise<string | null>;
  /** Ends all sessions of the person except `keepSession`. Returns `false` if the person has no password. */
  changePassword(p: {
    personId: string;
    passwordHash: string;
    keepSession: string;
    now: number;
    audit: NewAuditEntry;
  }): Promise<boolean>;
  /** A `setup` link replaces all earlier ones; a `reset` replaces those for the same person. */
  createInvitation(p: { invitation: NewInvitation; audit: NewAuditEntry }): Promise<Invitation>;
  /** Invitations that can still be accepted, newest first. */
  listInvitations(now: number): Promise<Invitation[]>;
  findInvitation(hash: string, now: number): Promise<Invitation | null>;
  /** Returns `false` if there is no such open invitation. */
  revokeInvitation(p: { id: string; now: number; audit: NewAuditEntry }): Promise<boolean>;
  /** Consumes the invitation and adds the person in one transaction. Does not accept a `reset`. */
  acceptInvitation(p: {
    hash: string;
    person: { id: string; name: string; email: string; accountId: string; passwordHash: string };
    now: number;
    audit: NewAuditEntry;
  }): Promise<"joined" | "unusable" | "email-taken">;
  /**
   * Consumes a `reset`, sets the password and ends all sessions of the person, in one transaction. Returns `false` if
   * the link cannot be used.
   */
  resetPassword(p: { hash: string; passwordHash: string; now: number; audit: NewAuditEntry }): Promise<boolean>;
}

export type IdentityTable = "user" | "session" | "account" | "verification";

export interface IdentityCondition {
  field: string;
  operator: string;
  value: unknown;
  connector: "AND" | "OR";
}

/** Rows of the tables that the identity provider reads and writes directly. Times are Dates. */
export interface IdentityRows {
  insertRow(table: IdentityTable, row: Record<string, unknown>): Promise<Record<string, unknown>>;
  findRows(p: {
    table: IdentityTable;
    where: readonly IdentityCondition[];
    limit: number;
    offset: number;
    sortBy: { field: string; direction: "asc" | "desc" } | null;
  }): Promise<Record<string, unknown>[]>;
  countRows(table: IdentityTable, where: readonly IdentityCondition[]): Promise<number>;
  updateRows(
    table: IdentityTable,
    where: readonly IdentityCondition[],
    values: Record<string, unknown>,
  ): Promise<Record<string, unknown>[]>;
  /** Returns the removed rows. */
  removeRows(table: IdentityTable, where: readonly IdentityCondition[]): Promise<Record<string, unknown>[]>;
}
