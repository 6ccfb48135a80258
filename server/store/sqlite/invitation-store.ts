import { type SQL, and, desc, eq } from "drizzle-orm";
import type { Invitation } from "../../contract/access/person.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { toInvitation } from "../shared/person-shapes.ts";
import type { InsertAudit } from "./audit-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { isUsableLink, passwordOf } from "./person-conditions.ts";
import { invitation, person, personAccount, personSession } from "./schema.ts";

type InvitationVerbs = Pick<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;

export function createInvitationStore({ db, read, write }: SqliteDatabase, insertAudit: InsertAudit): InvitationVerbs {
  return {
    createInvitation: ({ invitation: made, audit }) =>
      write(() => {
        if (made.kind !== "invitation")
          db.update(invitation)
            .set({ revokedAt: made.createdAt })
            .where(and(before(made), isUsableLink(made.createdAt)))
            .run();
        const row = db.insert(invitation).values(made).returning().get();
        insertAudit(audit);
        return toInvitation(row);
      }),
    listInvitations: (now) =>
      read(() =>
        db
          .select()
          .from(invitation)
          .where(isUsableLink(now))
          .orderBy(desc(invitation.createdAt), desc(invitation.id))
          .all()
          .map(toInvitation),
      ),
    findInvitation: (hash, now) =>
      read(() => {
        const row = db
          .select()
          .from(invitation)
          .where(and(eq(invitation.hash, hash), isUsableLink(now)))
          .get();
        return row ? toInvitation(row) : null;
      }),
    revokeInvitation: ({ id, now, audit }) =>
      write(() => {
        const isRevoked =
          db
            .update(invitation)
            .set({ revokedAt: now })
            .where(and(eq(invitation.id, id), isUsableLink(now)))
            .run().changes > 0;
        if (isRevoked) insertAudit(audit);
        return isRevoked;
      }),
    acceptInvitation: ({ hash, person: { id, name, email, accountId, passwordHash }, now, audit }) =>
      write(() => {
        const used = db
          .select()
          .from(invitation)
          .where(and(eq(invitation.hash, hash), isUsableLink(now)))
          .get();
        if (!used || used.kind === "reset") return "unusable";
        if (db.select({ id: person.id }).from(person).where(eq(person.email, email)).get()) return "email-taken";
        const at = new Date(now);
        db.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, used.id)).run();
        db.insert(person).values({ id, name, email, role: used.role, createdAt: at, updatedAt: at }).run();
        db.insert(personAccount)
          .values({
            id: accountId,
            userId: id,
            accountId: id,
            providerId: "credential",
            password: passwordHash,
            createdAt: at,
            updatedAt: at,
          })
          .run();
        insertAudit(audit);
        return "joined";
      }),
    resetPassword: ({ hash, passwordHash, now, audit }) =>
      write(() => {
        const used = db
          .select()
          .from(invitation)
          .where(and(eq(invitation.hash, hash), eq(invitation.kind, "reset"), isUsableLink(now)))
          .get();
        if (!used?.personId) return false;
        const { personId } = used;
        const isSet =
          db
            .update(personAccount)
            .set({ password: passwordHash, updatedAt: new Date(now) })
            .where(passwordOf(personId))
            .run().changes > 0;
        if (!isSet) return false;
        db.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, used.id)).run();
        db.delete(personSession).where(eq(personSession.userId, personId)).run();
        insertAudit(audit);
        return true;
      }),
  };
}

/** Those whose place a link takes. */
function before({ kind, personId }: { kind: Invitation["kind"]; personId: string | null }): SQL | undefined {
  return and(eq(invitation.kind, kind), personId === null ? undefined : eq(invitation.personId, personId));
}
