import { and, asc, count, desc, eq, gt, inArray, isNull, max, ne, or, type SQL } from "drizzle-orm";
import type { Person, PersonSession } from "../../contract/access/person.ts";
import { checkChange, type PersonChange } from "../../shared/access/people.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import type { Operation } from "../shared/operation.ts";
import { insertAudit } from "./audit.ts";
import { isOpenLink } from "./invitations.ts";
import { hasPassword, setPassword } from "./passwords.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

type People = Omit<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;

export function createPeopleStore({ tables, read, write }: StoreDatabase): People {
  const { person, personSession, personAccount, removedPerson, invitation } = tables;
  const isUnexpired = (now: number) => gt(personSession.expiresAt, new Date(now));
  const ofPerson = (personId: string | null) => (personId === null ? undefined : eq(personSession.userId, personId));
  return {
    countPeople: () =>
      read(function* ({ db, rows }) {
        const [counted] = yield* rows(db.select({ found: count() }).from(person));
        return counted?.found ?? 0;
      }),
    listPeople: (now) =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select({ row: person, lastSeenAt: max(personSession.updatedAt) })
            .from(person)
            .leftJoin(personSession, and(eq(personSession.userId, person.id), isUnexpired(now)))
            .groupBy(person.id)
            .orderBy(asc(person.name), asc(person.id)),
        );
        return found.map(({ row, lastSeenAt }) => toPerson(row, lastSeenAt));
      }),
    findSession: (token, now) =>
      read(function* ({ db, rows }) {
        const [found] = yield* rows(
          db
            .select({ session: personSession, person })
            .from(personSession)
            .innerJoin(person, eq(person.id, personSession.userId))
            .where(and(eq(personSession.token, token), isUnexpired(now))),
        );
        if (!found) return null;
        return { session: toSession(found.session), person: toPerson(found.person, found.session.updatedAt) };
      }),
    touchSession: (id, now) =>
      write(function* ({ db, run }) {
        yield* run(
          db
            .update(personSession)
            .set({ updatedAt: new Date(now) })
            .where(eq(personSession.id, id)),
        );
      }),
    listSessions: (personId, now) =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select()
            .from(personSession)
            .where(and(isUnexpired(now), ofPerson(personId)))
            .orderBy(desc(personSession.updatedAt), desc(personSession.id)),
        );
        return found.map(toSession);
      }),
    endSession: ({ id, personId, audit }) =>
      write(function* (session) {
        const { db, rows } = session;
        const ended = yield* rows(
          db
            .delete(personSession)
            .where(and(eq(personSession.id, id), ofPerson(personId)))
            .returning({ id: personSession.id }),
        );
        if (ended.length > 0) yield* insertAudit(session, audit);
        return ended.length > 0;
      }),
    findRole: (personId) =>
      read(function* ({ db, rows }) {
        const [found] = yield* rows(db.select({ role: person.role }).from(person).where(eq(person.id, personId)));
        return found?.role ?? null;
      }),
    changeRole: ({ id, role, now, audit }) =>
      write(function* (session) {
        const { db, run } = session;
        const outcome = checkChange(yield* lockPersonAndAdmins(session, id), { id, to: role });
        if (outcome !== "changed") return outcome;
        yield* run(
          db
            .update(person)
            .set({ role, updatedAt: new Date(now) })
            .where(eq(person.id, id)),
        );
        if (role !== "admin") yield* revokeLinks(session, eq(invitation.createdById, id), now);
        yield* insertAudit(session, audit);
        return outcome;
      }),
    removePerson: ({ id, now, audit, auditToken }) =>
      write(function* (session): Operation<PersonChange> {
        const { db, run } = session;
        const outcome = checkChange(yield* lockPersonAndAdmins(session, id), { id, to: null });
        if (outcome !== "changed") return outcome;
        yield* revokeLinks(session, or(eq(invitation.createdById, id), eq(invitation.personId, id)), now);
        const revoked = yield* revokeTokens(session, id, now);
        yield* noteRemoved(session, id, now);
        yield* run(db.delete(person).where(eq(person.id, id)));
        yield* insertAudit(session, audit);
        for (const keyId of revoked) yield* insertAudit(session, auditToken(keyId));
        return outcome;
      }),
    isRemovedPerson: ({ email, ...account }) =>
      read(function* ({ db, rows }) {
        const ids = removedIds(email, account.accountId === null ? [] : [account as ProviderAccount]);
        const query = db.select({ id: removedPerson.id }).from(removedPerson).where(inArray(removedPerson.id, ids));
        return (yield* rows(query.limit(1))).length > 0;
      }),
    findPasswordHash: (personId) =>
      read(function* ({ db, rows }) {
        const query = db.select({ password: personAccount.password }).from(personAccount);
        const [found] = yield* rows(query.where(hasPassword(tables, personId)));
        return found?.password ?? null;
      }),
    changePassword: ({ personId, passwordHash, keepSession, now, audit }) =>
      write(function* (session) {
        const { db, run } = session;
        if (!(yield* setPassword(session, { personId, passwordHash, now }))) return false;
        yield* run(db.delete(personSession).where(and(ofPerson(personId), ne(personSession.id, keepSession))));
        yield* insertAudit(session, audit);
        return true;
      }),
  };
}

/**
 * Locks the person and all admins, in one order: two admins who remove each other at the same time must not both
 * succeed.
 */
function* lockPersonAndAdmins({ db, tables: { person }, lockedRows }: StoreSession, id: string) {
  return yield* lockedRows(
    db
      .select({ id: person.id, role: person.role })
      .from(person)
      .where(or(eq(person.role, "admin"), eq(person.id, id)))
      .orderBy(asc(person.id)),
  );
}

interface ProviderAccount {
  providerId: string;
  accountId: string;
}

/** The address may change at the provider, and the account may be another one with the same address. */
function removedIds(email: string, accounts: readonly ProviderAccount[]): string[] {
  return [
    `email ${email.toLowerCase()}`,
    ...accounts.map(({ providerId, accountId }) => `account ${providerId} ${accountId}`),
  ];
}

/** Before the person is removed. */
function* noteRemoved({ db, tables, rows, run }: StoreSession, id: string, removedAt: number): Operation<void> {
  const { person, personAccount, removedPerson } = tables;
  const [removed] = yield* rows(db.select({ email: person.email }).from(person).where(eq(person.id, id)));
  if (!removed) return;
  const { providerId, accountId } = personAccount;
  const accounts = yield* rows(
    db
      .select({ providerId, accountId })
      .from(personAccount)
      .where(and(eq(personAccount.userId, id), ne(providerId, "credential"))),
  );
  const email = removed.email.toLowerCase();
  for (const key of removedIds(email, accounts))
    yield* run(
      db
        .insert(removedPerson)
        .values({ id: key, email, removedAt })
        .onConflictDoUpdate({ target: removedPerson.id, set: { email, removedAt } }),
    );
}

function* revokeLinks(session: StoreSession, which: SQL | undefined, now: number): Operation<void> {
  const { db, tables, run } = session;
  yield* run(
    db
      .update(tables.invitation)
      .set({ revokedAt: now })
      .where(and(which, isOpenLink(tables, now))),
  );
}

/** Returns the ids of the revoked tokens. */
function* revokeTokens(
  { db, tables: { webhookKey }, rows }: StoreSession,
  ownerId: string,
  now: number,
): Operation<string[]> {
  const revoked = yield* rows(
    db
      .update(webhookKey)
      .set({ revokedAt: now })
      .where(and(eq(webhookKey.ownerId, ownerId), isNull(webhookKey.revokedAt)))
      .returning({ id: webhookKey.id }),
  );
  return revoked.map(({ id }) => id).toSorted();
}

function toPerson(row: CoreTables["person"]["$inferSelect"], lastSeenAt: Date | null): Person {
  const { id, name, email, role, createdAt } = row;
  return {
    id,
    name,
    email,
    role,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}

/** Without the token, which grants access. */
function toSession(row: CoreTables["personSession"]["$inferSelect"]): PersonSession {
  return {
    id: row.id,
    personId: row.userId,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    address: row.ipAddress || null,
    userAgent: row.userAgent || null,
  };
}
