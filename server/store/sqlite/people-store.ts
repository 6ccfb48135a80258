import { type SQL, and, asc, count, desc, eq, isNull, max, ne, or } from "drizzle-orm";
import type { PeopleStore, PersonChange } from "../../ports/store/people-store.ts";
import { toPerson, toSession } from "../shared/person-shapes.ts";
import type { InsertAudit } from "./audit-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { isOpenSession, isUsableLink, passwordOf } from "./person-conditions.ts";
import { invitation, person, personAccount, personSession, webhookKey } from "./schema.ts";

type PeopleVerbs = Omit<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;

export function createPeopleStore({ db, read, write }: SqliteDatabase, insertAudit: InsertAudit): PeopleVerbs {
  function peopleWhere(now: number, condition?: SQL) {
    return db
      .select({ row: person, lastSeenAt: max(personSession.updatedAt) })
      .from(person)
      .leftJoin(personSession, and(eq(personSession.userId, person.id), isOpenSession(now)))
      .where(condition)
      .groupBy(person.id)
      .orderBy(asc(person.name), asc(person.id));
  }

  /** Another admin must be left. */
  function guardLastAdmin(id: string): PersonChange {
    const role = db.select({ role: person.role }).from(person).where(eq(person.id, id)).get()?.role;
    if (!role) return "unknown";
    const others =
      db
        .select({ found: count() })
        .from(person)
        .where(and(eq(person.role, "admin"), ne(person.id, id)))
        .get()?.found ?? 0;
    return role === "admin" && others === 0 ? "last-admin" : "changed";
  }

  function endLinks(which: SQL | undefined, now: number): void {
    db.update(invitation)
      .set({ revokedAt: now })
      .where(and(which, isUsableLink(now)))
      .run();
  }

  /** Gives their ids. */
  function revokeTokens(ownerId: string, now: number): string[] {
    const revoked = db
      .update(webhookKey)
      .set({ revokedAt: now })
      .where(and(eq(webhookKey.ownerId, ownerId), isNull(webhookKey.revokedAt)))
      .returning({ id: webhookKey.id })
      .all();
    return revoked.map(({ id }) => id).toSorted();
  }

  return {
    countPeople: () => read(() => db.select({ found: count() }).from(person).get()?.found ?? 0),
    listPeople: (now) => read(() => peopleWhere(now).all().map(toPerson)),
    findSession: (token, now) =>
      read(() => {
        const found = db
          .select()
          .from(personSession)
          .innerJoin(person, eq(person.id, personSession.userId))
          .where(and(eq(personSession.token, token), isOpenSession(now)))
          .get();
        return found
          ? {
              session: toSession(found.person_session),
              person: toPerson({ row: found.person, lastSeenAt: found.person_session.updatedAt }),
            }
          : null;
      }),
    touchSession: (id, now) =>
      write(
        () =>
          void db
            .update(personSession)
            .set({ updatedAt: new Date(now) })
            .where(eq(personSession.id, id))
            .run(),
      ),
    listSessions: (personId, now) =>
      read(() =>
        db
          .select()
          .from(personSession)
          .where(and(isOpenSession(now), personId === null ? undefined : eq(personSession.userId, personId)))
          .orderBy(desc(personSession.updatedAt), desc(personSession.id))
          .all()
          .map(toSession),
      ),
    endSession: ({ id, personId, audit }) =>
      write(() => {
        const ofPerson = personId === null ? undefined : eq(personSession.userId, personId);
        const isEnded =
          db
            .delete(personSession)
            .where(and(eq(personSession.id, id), ofPerson))
            .run().changes > 0;
        if (isEnded) insertAudit(audit);
        return isEnded;
      }),
    findRole: (personId) =>
      read(() => db.select({ role: person.role }).from(person).where(eq(person.id, personId)).get()?.role ?? null),
    changeRole: ({ id, role, now, audit }) =>
      write(() => {
        const outcome = guardLastAdmin(id);
        if (outcome === "unknown" || (outcome === "last-admin" && role !== "admin")) return outcome;
        db.update(person)
          .set({ role, updatedAt: new Date(now) })
          .where(eq(person.id, id))
          .run();
        if (role !== "admin") endLinks(eq(invitation.createdById, id), now);
        insertAudit(audit);
        return "changed";
      }),
    removePerson: ({ id, now, audit, auditToken }) =>
      write(() => {
        const outcome = guardLastAdmin(id);
        if (outcome !== "changed") return outcome;
        db.delete(person).where(eq(person.id, id)).run();
        endLinks(or(eq(invitation.createdById, id), eq(invitation.personId, id)), now);
        insertAudit(audit);
        revokeTokens(id, now).forEach((keyId) => insertAudit(auditToken(keyId)));
        return "changed";
      }),
    findPasswordHash: (personId) =>
      read(
        () =>
          db.select({ password: personAccount.password }).from(personAccount).where(passwordOf(personId)).get()
            ?.password ?? null,
      ),
    changePassword: ({ personId, passwordHash, keepSession, now, audit }) =>
      write(() => {
        const isChanged =
          db
            .update(personAccount)
            .set({ password: passwordHash, updatedAt: new Date(now) })
            .where(passwordOf(personId))
            .run().changes > 0;
        if (!isChanged) return false;
        db.delete(personSession)
          .where(and(eq(personSession.userId, personId), ne(personSession.id, keepSession)))
          .run();
        insertAudit(audit);
        return true;
      }),
  };
}
