import { type SQL, and, desc, eq } from "drizzle-orm";
import type { Invitation } from "../../contract/access/person.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { toInvitation } from "../shared/person-shapes.ts";
import { insertAudit } from "./audit-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { isUsableLink, passwordOf } from "./person-conditions.ts";
import { invitation, person, personAccount, personSession } from "./schema.ts";
import type { Session } from "./session.ts";

type InvitationVerbs = Pick<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;

export function createInvitationStore({ read, write }: PostgresDatabase): InvitationVerbs {
  return {
    createInvitation: ({ invitation: made, audit }) =>
      write(async (session) => {
        const { db } = session;
        if (made.kind !== "invitation")
          await db
            .update(invitation)
            .set({ revokedAt: made.createdAt })
            .where(and(before(made), isUsableLink(made.createdAt)));
        const [row] = await db.insert(invitation).values(made).returning();
        if (!row) throw new Error("An invitation was not written.");
        await insertAudit(session, audit);
        return toInvitation(row);
      }),
    listInvitations: (now) =>
      read(async ({ db }) =>
        (
          await db
            .select()
            .from(invitation)
            .where(isUsableLink(now))
            .orderBy(desc(invitation.createdAt), desc(invitation.id))
        ).map(toInvitation),
      ),
    findInvitation: (hash, now) =>
      read(async ({ db }) => {
        const [row] = await db
          .select()
          .from(invitation)
          .where(and(eq(invitation.hash, hash), isUsableLink(now)));
        return row ? toInvitation(row) : null;
      }),
    revokeInvitation: ({ id, now, audit }) =>
      write(async (session) => {
        const revoked = await session.db
          .update(invitation)
          .set({ revokedAt: now })
          .where(and(eq(invitation.id, id), isUsableLink(now)))
          .returning({ id: invitation.id });
        if (revoked.length > 0) await insertAudit(session, audit);
        return revoked.length > 0;
      }),
    acceptInvitation: (p) => write((session) => acceptInvitation(session, p)),
    resetPassword: (p) => write((session) => resetPassword(session, p)),
  };
}

async function acceptInvitation(
  session: Session,
  p: Parameters<PeopleStore["acceptInvitation"]>[0],
): ReturnType<PeopleStore["acceptInvitation"]> {
  const { db } = session;
  const { id, name, email, accountId, passwordHash } = p.person;
  const [used] = await db
    .select()
    .from(invitation)
    .where(and(eq(invitation.hash, p.hash), isUsableLink(p.now)))
    .for("update");
  if (!used || used.kind === "reset") return "unusable";
  const at = new Date(p.now);
  const joined = await db
    .insert(person)
    .values({ id, name, email, role: used.role, createdAt: at, updatedAt: at })
    .onConflictDoNothing({ target: person.email })
    .returning({ id: person.id });
  if (joined.length === 0) return "email-taken";
  await db.update(invitation).set({ acceptedAt: p.now }).where(eq(invitation.id, used.id));
  await db.insert(personAccount).values({
    id: accountId,
    userId: id,
    accountId: id,
    providerId: "credential",
    password: passwordHash,
    createdAt: at,
    updatedAt: at,
  });
  await insertAudit(session, p.audit);
  return "joined";
}

async function resetPassword(
  session: Session,
  { hash, passwordHash, now, audit }: Parameters<PeopleStore["resetPassword"]>[0],
): Promise<boolean> {
  const { db } = session;
  const [used] = await db
    .select()
    .from(invitation)
    .where(and(eq(invitation.hash, hash), eq(invitation.kind, "reset"), isUsableLink(now)))
    .for("update");
  if (!used?.personId) return false;
  const { personId } = used;
  const set = await db
    .update(personAccount)
    .set({ password: passwordHash, updatedAt: new Date(now) })
    .where(passwordOf(personId))
    .returning({ id: personAccount.id });
  if (set.length === 0) return false;
  await db.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, used.id));
  await db.delete(personSession).where(eq(personSession.userId, personId));
  await insertAudit(session, audit);
  return true;
}

/** Those whose place a link takes. */
function before({ kind, personId }: { kind: Invitation["kind"]; personId: string | null }): SQL | undefined {
  return and(eq(invitation.kind, kind), personId === null ? undefined : eq(invitation.personId, personId));
}
