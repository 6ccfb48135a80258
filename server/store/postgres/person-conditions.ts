import { type SQL, and, eq, gt, isNull } from "drizzle-orm";
import { invitation, personAccount, personSession } from "./schema.ts";

/** A session that has not expired. */
export function isOpenSession(now: number): SQL {
  return gt(personSession.expiresAt, new Date(now));
}

/** The password, among the ways in which a person signs in. */
export function passwordOf(personId: string): SQL | undefined {
  return and(eq(personAccount.userId, personId), eq(personAccount.providerId, "credential"));
}

/** A link that was neither used nor withdrawn, and has not expired. */
export function isUsableLink(now: number): SQL | undefined {
  return and(isNull(invitation.acceptedAt), isNull(invitation.revokedAt), gt(invitation.expiresAt, now));
}
