import { type SQL, and, desc, eq, gt, isNull } from "drizzle-orm";
import type { PeopleStore } from "../../ports/people-store.ts";
import { toInvitation } from "../shared/person-shapes.ts";
import type { InsertAudit } from "./audit-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { invitation, person, personAccount } from "./schema.ts";

type InvitationVerbs = Pick<PeopleStore, "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation">;

export function createInvitationStore({ db, read, write }: SqliteDatabase, insertAudit: InsertAudit): InvitationVerbs {
  return {
    createInvitation: ({ invitation: made, audit }) =>
      write(() => {
        if (made.kind === "setup") db.update(invitation).set({ revokedAt: made.createdAt }).where(and(eq(invitation.kind, "setup"), isUnused())).run();
        const row = db.insert(invitation).values(made).returning().get();
        insertAudit(audit);
        return toInvitation(row);
      }),
    listInvitations: (now) =>
      read(() => db.select().from(invitation).where(isUsable(now)).orderBy(desc(invitation.createdAt), desc(invitation.id)).all().map(toInvitation)),
    findInvitation: (hash, now) =>
      read(() => {
        const row = db.select().from(invitation).where(and(eq(invitation.hash, hash), isUsable(now))).get();
        return row ? toInvitation(row) : null;
      }),
    revokeInvitation: ({ id, now, audit }) =>
      write(() => {
        const isRevoked = db.update(invitation).set({ revokedAt: now }).where(and(eq(invitation.id, id), isUsable(now))).run().changes > 0;
        if (isRevoked) insertAudit(audit);
        return isRevoked;
      }),
    acceptInvitation: ({ hash, person: { id, name, email, accountId, passwordHash }, now, audit }) =>
      write(() => {
        const used = db.select().from(invitation).where(and(eq(invitation.hash, hash), isUsable(now))).get();
        if (!used) return "unusable";
        if (db.select({ id: person.id }).from(person).where(eq(person.email, email)).get()) return "email-taken";
        const at = new Date(now);
        db.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, used.id)).run();
        db.insert(person).values({ id, name, email, role: used.role, createdAt: at, updatedAt: at }).run();
        db.insert(personAccount).values({ id: accountId, userId: id, accountId: id, providerId: "credential", password: passwordHash, createdAt: at, updatedAt: at }).run();
        insertAudit(audit);
        return "joined";
      }),
  };
}

function isUnused(): SQL | undefined {
  return and(isNull(invitation.acceptedAt), isNull(invitation.revokedAt));
}

function isUsable(now: number): SQL | undefined {
  return and(isUnused(), gt(invitation.expiresAt, now));
}
