import type { AuditAction, AuditActor, AuditEntry } from "../contract/audit.ts";
import type { Json } from "../contract/json.ts";
import type { Page } from "../contract/page.ts";
import type { Invitation, Person, PersonSession, Role } from "../contract/person.ts";

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
  /** At this time or later, UTC milliseconds. */
  since?: number;
  /** Before this time. */
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
  /** The person behind it, if any. */
  createdById: string | null;
  /** Whose password a `reset` sets. */
  personId: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Where nobody is left who could let others in, nothing is changed. */
export type PersonChange = "changed" | "unknown" | "last-admin";

/**
 * Every verb that changes something writes its line of the audit log in the same transaction. Where it changes nothing,
 * it writes none.
 */
export interface PeopleStore {
  countPeople(): Promise<number>;
  /** By name. */
  listPeople(now: number): Promise<Person[]>;
  /** A session that has not expired, with whose it is. */
  findSession(token: string, now: number): Promise<{ session: PersonSession; person: Person } | null>;
  touchSession(id: string, now: number): Promise<void>;
  /** Those that have not expired, last seen first; `personId: null`: of everybody. */
  listSessions(personId: string | null, now: number): Promise<PersonSession[]>;
  /** `false`: there is no such session, or not of this person (`null`: whosever). */
  endSession(p: { id: string; personId: string | null; audit: NewAuditEntry }): Promise<boolean>;
  /** What a person may do now; `null`: there is no such person (any more). */
  findRole(personId: string): Promise<Role | null>;
  /**
   * In force with the very next request of theirs. Whoever is no admin any more lets nobody in: links that they made
   * end.
   */
  changeRole(p: { id: string; role: Role; now: number; audit: NewAuditEntry }): Promise<PersonChange>;
  /**
   * With sessions, ways to sign in and links that they made. Their API tokens are revoked, and `auditToken` is written
   * for each.
   */
  removePerson(p: {
    id: string;
    now: number;
    audit: NewAuditEntry;
    auditToken: (keyId: string) => NewAuditEntry;
  }): Promise<PersonChange>;
  /** Scrypt, as the identity provider made it; `null` where the person has none. */
  findPasswordHash(personId: string): Promise<string | null>;
  /** Ends all sessions of the person but `keepSession`. `false`: the person has no password to change. */
  changePassword(p: {
    personId: string;
    passwordHash: string;
    keepSession: string;
    now: number;
    audit: NewAuditEntry;
  }): Promise<boolean>;
  /** A `setup` link takes the place of those before it, a `reset` of those for the same person. */
  createInvitation(p: { invitation: NewInvitation; audit: NewAuditEntry }): Promise<Invitation>;
  /** Those that can still be accepted, newest first. */
  listInvitations(now: number): Promise<Invitation[]>;
  findInvitation(hash: string, now: number): Promise<Invitation | null>;
  /** `false`: there is no such invitation that could still be accepted. */
  revokeInvitation(p: { id: string; now: number; audit: NewAuditEntry }): Promise<boolean>;
  /** Uses the invitation up and adds the person, or neither. A `reset` is none. */
  acceptInvitation(p: {
    hash: string;
    person: { id: string; name: string; email: string; accountId: string; passwordHash: string };
    now: number;
    audit: NewAuditEntry;
  }): Promise<"joined" | "unusable" | "email-taken">;
  /**
   * Uses a `reset` up, sets the password and ends all sessions of the person, or does nothing. `false`: it cannot be
   * used.
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

/** Rows of the tables that the identity provider reads and writes by itself. Times are Dates. */
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
  /** Gives what was removed. */
  removeRows(table: IdentityTable, where: readonly IdentityCondition[]): Promise<Record<string, unknown>[]>;
}
