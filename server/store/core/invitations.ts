import { and, desc, eq, gt, isNull, type SQL } from "drizzle-orm";
import type { Invitation } from "../../contract/access/person.ts";
import { canJoin, isUsableLink, personToReset } from "../../shared/access/invitations.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { toIso } from "../shared/iso-time.ts";
import type { Operation } from "../shared/operation.ts";
import { insertAudit } from "./audit.ts";
import { setPassword } from "./passwords.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

type Invitations = Pick<
  PeopleStore,
  "createInvitation" | "listInvitations" | "findInvitation" | "revokeInvitation" | "acceptInvitation" | "resetPassword"
>;
type LinkRow = CoreTables["invitation"]["$inferSelect"];

export function createInvitationStore({ tables, read, write }: StoreDatabase): Invitations {
  const { invitation, person, personAccount, personSession, removedPerson } = tables;
  return {
    createInvitation: ({ invitation: link, audit }) =>
      write(function* (session) {
        const { db, rows, run } = session;
        if (link.kind !== "invitation")
          yield* run(
            db
              .update(invitation)
              .set({ revokedAt: link.createdAt })
              .where(and(isReplacedBy(tables, link), isOpenLink(tables, link.createdAt))),
          );
        const [created] = yield* rows(db.insert(invitation).values(link).returning());
        if (!created) throw new Error("The invitation was not inserted");
        yield* insertAudit(session, audit);
        return toInvitation(created);
      }),
    listInvitations: (now) =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select()
            .from(invitation)
            .where(isOpenLink(tables, now))
            .orderBy(desc(invitation.createdAt), desc(invitation.id)),
        );
        return found.map(toInvitation);
      }),
    findInvitation: (hash, now) =>
      read(function* ({ db, rows }) {
        const [found] = yield* rows(db.select().from(invitation).where(eq(invitation.hash, hash)));
        return found && isUsableLink(found, now) ? toInvitation(found) : null;
      }),
    revokeInvitation: ({ id, now, audit }) =>
      write(function* (session) {
        const { db, lockedRows, run } = session;
        const [link] = yield* lockedRows(db.select().from(invitation).where(eq(invitation.id, id)));
        if (!link || !isUsableLink(link, now)) return false;
        yield* run(db.update(invitation).set({ revokedAt: now }).where(eq(invitation.id, id)));
        yield* insertAudit(session, audit);
        return true;
      }),
    acceptInvitation: ({ hash, person: joining, now, audit }) =>
      write(function* (session) {
        const { db, rows, run } = session;
        const { id, name, email, accountId, passwordHash } = joining;
        const link = yield* lockUsableLink(session, hash, now);
        if (!link || !canJoin(link)) return "unusable";
        const times = { createdAt: new Date(now), updatedAt: new Date(now) };
        const added = yield* rows(
          db
            .insert(person)
            .values({ id, name, email, role: link.role, ...times })
            .onConflictDoNothing({ target: person.email })
            .returning({ id: person.id }),
        );
        if (added.length === 0) return "email-taken";
        const account = { id: accountId, userId: id, accountId: id, providerId: "credential", password: passwordHash };
        yield* run(db.insert(personAccount).values({ ...account, ...times }));
        yield* run(db.delete(removedPerson).where(eq(removedPerson.email, email.toLowerCase())));
        yield* consumeLink(session, link, now);
        yield* insertAudit(session, audit);
        return "joined";
      }),
    resetPassword: ({ hash, passwordHash, now, audit }) =>
      write(function* (session) {
        const { db, run } = session;
        const link = yield* lockUsableLink(session, hash, now);
        const personId = link && personToReset(link);
        if (!link || !personId || !(yield* setPassword(session, { personId, passwordHash, now }))) return false;
        yield* consumeLink(session, link, now);
        yield* run(db.delete(personSession).where(eq(personSession.userId, personId)));
        yield* insertAudit(session, audit);
        return true;
      }),
  };
}

/** `isUsableLink` as a condition, for all links at once. */
export function isOpenLink({ invitation }: CoreTables, now: number): SQL | undefined {
  return and(isNull(invitation.acceptedAt), isNull(invitation.revokedAt), gt(invitation.expiresAt, now));
}

/** A setup link replaces all others, a reset link those of the same person. */
function isReplacedBy(
  { invitation }: CoreTables,
  { kind, personId }: Pick<Invitation, "kind" | "personId">,
): SQL | undefined {
  return and(eq(invitation.kind, kind), personId === null ? undefined : eq(invitation.personId, personId));
}

/** The lock ensures that only one request uses the link. */
function* lockUsableLink(
  { db, tables: { invitation }, lockedRows }: StoreSession,
  hash: string,
  now: number,
): Operation<LinkRow | null> {
  const [link] = yield* lockedRows(db.select().from(invitation).where(eq(invitation.hash, hash)));
  return link && isUsableLink(link, now) ? link : null;
}

function* consumeLink(
  { db, tables: { invitation }, run }: StoreSession,
  { id }: LinkRow,
  now: number,
): Operation<void> {
  yield* run(db.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, id)));
}

/** Without the hash of the token, which grants access. */
function toInvitation({ id, kind, role, note, personId, createdBy, createdAt, expiresAt }: LinkRow): Invitation {
  return { id, kind, role, note, personId, createdBy, createdAt: toIso(createdAt), expiresAt: toIso(expiresAt) };
}
