import { type SQL, and, asc, count, desc, eq, isNull, max, ne, or } from "drizzle-orm";
import type { PeopleStore, PersonChange } from "../../ports/store/people-store.ts";
import { toPerson, toSession } from "../shared/person-shapes.ts";
import { insertAudit } from "./audit-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { isOpenSession, isUsableLink, passwordOf } from "./person-conditions.ts";
import { invitation, person, personAccount, personSession, webhookKey } from "./schema.ts";
import type { Session } from "./session.ts";

type PeopleVerbs = Omit<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;

export function createPeopleStore({ read, write }: PostgresDatabase): PeopleVerbs {
  return {
    countPeople: () => read(async ({ db }) => (await db.select({ found: count() }).from(person))[0]?.found ?? 0),
    listPeople: (now) =>
      read(async ({ db }) => {
        const rows = await db
          .select({ row: person, lastSeenAt: max(personSession.updatedAt) })
          .from(person)
          .leftJoin(personSession, and(eq(personSession.userId, person.id), isOpenSession(now)))
          .groupBy(person.id)
          .orderBy(asc(person.name), asc(person.id));
        return rows.map(toPerson);
      }),
    findSession: (token, now) =>
      read(async ({ db }) => {
        const [found] = await db
          .select()
          .from(personSession)
          .innerJoin(person, eq(person.id, personSession.userId))
          .where(and(eq(personSession.token, token), isOpenSession(now)));
        return found
          ? {
              session: toSession(found.person_session),
              person: toPerson({ row: found.person, lastSeenAt: found.person_session.updatedAt }),
            }
          : null;
      }),
    touchSession: (id, now) =>
      write(
        async ({ db }) =>
          void (await db
            .update(personSession)
            .set({ updatedAt: new Date(now) })
            .where(eq(personSession.id, id))),
      ),
    listSessions: (personId, now) =>
      read(async ({ db }) => {
        const ofPerson = personId === null ? undefined : eq(personSession.userId, personId);
        return (
          await db
            .select()
            .from(personSession)
            .where(and(isOpenSession(now), ofPerson))
            .orderBy(desc(personSession.updatedAt), desc(personSession.id))
        ).map(toSession);
      }),
    endSession: ({ id, personId, audit }) =>
      write(async (session) => {
        const ofPerson = personId === null ? undefined : eq(personSession.userId, personId);
        const ended = await session.db
          .delete(personSession)
          .where(and(eq(personSession.id, id), ofPerson))
          .returning({ id: personSession.id });
        if (ended.length > 0) await insertAudit(session, audit);
        return ended.length > 0;
      }),
    findRole: (personId) =>
      read(
        async ({ db }) =>
          (await db.select({ role: person.role }).from(person).where(eq(person.id, personId)))[0]?.role ?? null,
      ),
    changeRole: ({ id, role, now, audit }) =>
      write(async (session) => {
        const outcome = await guardLastAdmin(session, id);
        if (outcome === "unknown" || (outcome === "last-admin" && role !== "admin")) return outcome;
        await session.db
          .update(person)
          .set({ role, updatedAt: new Date(now) })
          .where(eq(person.id, id));
        if (role !== "admin") await endLinks(session, eq(invitation.createdById, id), now);
        await insertAudit(session, audit);
        return "changed";
      }),
    removePerson: ({ id, now, audit, auditToken }) =>
      write(async (session) => {
        const outcome = await guardLastAdmin(session, id);
        if (outcome !== "changed") return outcome;
        await endLinks(session, or(eq(invitation.createdById, id), eq(invitation.personId, id)), now);
        const revoked = await revokeTokens(session, id, now);
        await session.db.delete(person).where(eq(person.id, id));
        await insertAudit(session, audit);
        for (const keyId of revoked) await insertAudit(session, auditToken(keyId));
        return "changed";
      }),
    findPasswordHash: (personId) =>
      read(
        async ({ db }) =>
          (await db.select({ password: personAccount.password }).from(personAccount).where(passwordOf(personId)))[0]
            ?.password ?? null,
      ),
    changePassword: ({ personId, passwordHash, keepSession, now, audit }) =>
      write(async (session) => {
        const { db } = session;
        const changed = await db
          .update(personAccount)
          .set({ password: passwordHash, updatedAt: new Date(now) })
          .where(passwordOf(personId))
          .returning({ id: personAccount.id });
        if (changed.length === 0) return false;
        await db
          .delete(personSession)
          .where(and(eq(personSession.userId, personId), ne(personSession.id, keepSession)));
        await insertAudit(session, audit);
        return true;
      }),
  };
}

/**
 * Another admin must be left. All admins are locked, in one order: two that are removed at once, by two processes,
 * would each see the other.
 */
async function guardLastAdmin({ db }: Session, id: string): Promise<PersonChange> {
  const rows = await db
    .select({ id: person.id, role: person.role })
    .from(person)
    .where(or(eq(person.role, "admin"), eq(person.id, id)))
    .orderBy(asc(person.id))
    .for("update");
  const found = rows.find((row) => row.id === id);
  if (!found) return "unknown";
  return found.role === "admin" && !rows.some((row) => row.role === "admin" && row.id !== id)
    ? "last-admin"
    : "changed";
}

async function endLinks({ db }: Session, which: SQL | undefined, now: number): Promise<void> {
  await db
    .update(invitation)
    .set({ revokedAt: now })
    .where(and(which, isUsableLink(now)));
}

/** Gives their ids. */
async function revokeTokens({ db }: Session, ownerId: string, now: number): Promise<string[]> {
  const revoked = await db
    .update(webhookKey)
    .set({ revokedAt: now })
    .where(and(eq(webhookKey.ownerId, ownerId), isNull(webhookKey.revokedAt)))
    .returning({ id: webhookKey.id });
  return revoked.map(({ id }) => id).toSorted();
}
