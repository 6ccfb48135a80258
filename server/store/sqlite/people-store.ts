import { type SQL, and, asc, count, desc, eq, gt, max, ne } from "drizzle-orm";
import type { PeopleStore, PersonChange } from "../../ports/people-store.ts";
import { toPerson, toSession } from "../shared/person-shapes.ts";
import type { InsertAudit } from "./audit-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { person, personAccount, personSession } from "./schema.ts";

type PeopleVerbs = Omit<PeopleStore, "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation">;

export function createPeopleStore({ db, read, write }: SqliteDatabase, insertAudit: InsertAudit): PeopleVerbs {
  function peopleWhere(now: number, condition?: SQL) {
    return db
      .select({ row: person, lastSeenAt: max(personSession.updatedAt) })
      .from(person)
      .leftJoin(personSession, and(eq(personSession.userId, person.id), isOpen(now)))
      .where(condition)
      .groupBy(person.id)
      .orderBy(asc(person.name), asc(person.id));
  }

  /** Another admin must be left. */
  function guardLastAdmin(id: string): PersonChange {
    const role = db.select({ role: person.role }).from(person).where(eq(person.id, id)).get()?.role;
    if (!role) return "unknown";
    const others = db.select({ found: count() }).from(person).where(and(eq(person.role, "admin"), ne(person.id, id))).get()?.found ?? 0;
    return role === "admin" && others === 0 ? "last-admin" : "changed";
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
          .where(and(eq(personSession.token, token), isOpen(now)))
          .get();
        return found ? { session: toSession(found.person_session), person: toPerson({ row: found.person, lastSeenAt: found.person_session.updatedAt }) } : null;
      }),
    touchSession: (id, now) => write(() => void db.update(personSession).set({ updatedAt: new Date(now) }).where(eq(personSession.id, id)).run()),
    listSessions: (personId, now) =>
      read(() =>
        db
          .select()
          .from(personSession)
          .where(and(isOpen(now), personId === null ? undefined : eq(personSession.userId, personId)))
          .orderBy(desc(personSession.updatedAt), desc(personSession.id))
          .all()
          .map(toSession),
      ),
    endSession: ({ id, personId, audit }) =>
      write(() => {
        const ofPerson = personId === null ? undefined : eq(personSession.userId, personId);
        const isEnded = db.delete(personSession).where(and(eq(personSession.id, id), ofPerson)).run().changes > 0;
        if (isEnded) insertAudit(audit);
        return isEnded;
      }),
    changeRole: ({ id, role, now, audit }) =>
      write(() => {
        const outcome = guardLastAdmin(id);
        if (outcome === "unknown" || (outcome === "last-admin" && role !== "admin")) return outcome;
        db.update(person).set({ role, updatedAt: new Date(now) }).where(eq(person.id, id)).run();
        insertAudit(audit);
        return "changed";
      }),
    removePerson: ({ id, audit }) =>
      write(() => {
        const outcome = guardLastAdmin(id);
        if (outcome !== "changed") return outcome;
        db.delete(person).where(eq(person.id, id)).run();
        insertAudit(audit);
        return "changed";
      }),
    findPasswordHash: (personId) => read(() => db.select({ password: personAccount.password }).from(personAccount).where(passwordOf(personId)).get()?.password ?? null),
    changePassword: ({ personId, passwordHash, keepSession, now, audit }) =>
      write(() => {
        const isChanged = db.update(personAccount).set({ password: passwordHash, updatedAt: new Date(now) }).where(passwordOf(personId)).run().changes > 0;
        if (!isChanged) return false;
        db.delete(personSession).where(and(eq(personSession.userId, personId), ne(personSession.id, keepSession))).run();
        insertAudit(audit);
        return true;
      }),
  };
}

function isOpen(now: number): SQL {
  return gt(personSession.expiresAt, new Date(now));
}

function passwordOf(personId: string): SQL | undefined {
  return and(eq(personAccount.userId, personId), eq(personAccount.providerId, "credential"));
}
