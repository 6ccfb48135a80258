import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { type Invitation, passwordSchema } from "../../contract/access/person.ts";
import { personToReset } from "../../shared/access/invitations.ts";
import { createTokenBucket, type TokenBucket } from "../../domain/requests/token-bucket.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity } from "../../ports/identity.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";
import { hashInvitationToken, type InvitationDeps, createLink, unusableLink } from "./invitations.ts";

export const resetRequestSchema = z.strictObject({ token: z.string().min(1).max(200), password: passwordSchema });

/** Changes a person's own password and ends their other sessions. Throws AppError `invalid_input` or `rate_limited`. */
export async function changePassword(
  deps: {
    store: Pick<PeopleStore, "findPasswordHash" | "changePassword">;
    identity: () => Promise<Pick<Identity, "hashPassword" | "isPassword">>;
    clock: Clock;
  },
  p: { personId: string; sessionId: string; current: string; next: string },
  auditContext: AuditContext,
): Promise<void> {
  if (!attemptsOf(p.personId).take(deps.clock.now()).passes)
    throw new AppError("rate_limited", "Too many attempts. Try again in a minute.");
  const identity = await deps.identity();
  const hash = await deps.store.findPasswordHash(p.personId);
  if (hash === null) throw invalidCurrent("Your account has no password to change: you sign in with the provider.");
  if (!(await identity.isPassword(hash, p.current))) throw invalidCurrent("This is not your current password.");
  const passwordHash = await identity.hashPassword(p.next);
  const now = deps.clock.now();
  const audit = auditOf(auditContext, { action: "person.password-changed", subject: p.personId, now });
  await deps.store.changePassword({ personId: p.personId, passwordHash, keepSession: p.sessionId, now, audit });
}

/** An attacker with an open session must not be able to guess the password. */
const attempts = new Map<string, TokenBucket>();

function attemptsOf(personId: string): TokenBucket {
  const bucket = attempts.get(personId) ?? createTokenBucket({ perSecond: 1 / 60, burst: 5 });
  attempts.set(personId, bucket);
  return bucket;
}

function invalidCurrent(message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ pointer: "/current", code: "wrong_password", message }] });
}

/**
 * Creates a link to set a new password, valid once and for one hour. Earlier links of this person become
 * invalid. `url` is shown only once. Throws AppError `not_found`, or `invalid_input` if the person signs in without a
 * password.
 */
export async function createResetLink(
  deps: InvitationDeps & { store: Pick<PeopleStore, "listPeople" | "findPasswordHash"> },
  personId: string,
  auditContext: AuditContext,
): Promise<{ invitation: Invitation; url: string }> {
  const person = (await deps.store.listPeople(deps.clock.now())).find(({ id }) => id === personId);
  if (!person)
    throw new AppError("not_found", `There is no person ${personId}. \`signalbox people list\` lists the accounts.`);
  const { name, email, role } = person;
  if ((await deps.store.findPasswordHash(personId)) === null)
    throw new AppError("invalid_input", `${email} signs in with your provider and has no password here.`);
  return createLink(
    deps,
    {
      kind: "reset",
      role,
      note: email,
      personId,
      auditEntry: (link) => ({ action: "person.reset-link-created", subject: personId, detail: { name, email, link } }),
    },
    auditContext,
  );
}

/**
 * Consumes a reset link: only the new password is valid afterwards, and all sessions of this person end. Throws
 * AppError `not_found`.
 */
export async function resetPassword(
  deps: {
    store: Pick<PeopleStore, "findInvitation" | "resetPassword">;
    identity: () => Promise<Pick<Identity, "hashPassword">>;
    clock: Clock;
  },
  { token, password }: z.infer<typeof resetRequestSchema>,
  address: string | null,
): Promise<void> {
  const hash = hashInvitationToken(token);
  // First, because hashing is expensive: anonymous clients must not cause it.
  const link = await deps.store.findInvitation(hash, deps.clock.now());
  const personId = link && personToReset(link);
  if (!link || !personId) throw unusableLink();
  const passwordHash = await (await deps.identity()).hashPassword(password);
  const now = deps.clock.now();
  const actor = { kind: "person" as const, id: personId, name: link.note };
  const audit = auditOf(
    { actor, address },
    { action: "person.password-reset", subject: personId, detail: { link: link.id, madeBy: link.createdBy }, now },
  );
  if (!(await deps.store.resetPassword({ hash, passwordHash, now, audit }))) throw unusableLink();
}
