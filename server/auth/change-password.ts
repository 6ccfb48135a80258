import { AppError } from "../contract/app-error.ts";
import { type TokenBucket, createTokenBucket } from "../domain/token-bucket.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { type AuditContext, auditOf } from "./doer.ts";

/** Ends all other sessions of the person. Throws AppError `invalid_input` or `rate_limited`. */
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
  if (hash === null) throw refusal("Your account has no password to change: you sign in with the provider.");
  if (!(await identity.isPassword(hash, p.current))) throw refusal("This is not your current password.");
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

function refusal(message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ pointer: "/current", code: "refused", message }] });
}
