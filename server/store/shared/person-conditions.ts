import { type Column, and, eq, gt, isNull, type SQL } from "drizzle-orm";

interface Tables {
  personSession: { expiresAt: Column };
  personAccount: { userId: Column; providerId: Column };
  invitation: { acceptedAt: Column; revokedAt: Column; expiresAt: Column };
}

/** What is asked of people's rows in more than one place. */
export function createPersonConditions({ personSession, personAccount, invitation }: Tables) {
  return {
    /** A session that has not expired. */
    isOpenSession: (now: number): SQL => gt(personSession.expiresAt, new Date(now)),
    /** The password, among the ways in which a person signs in. */
    passwordOf: (personId: string): SQL | undefined =>
      and(eq(personAccount.userId, personId), eq(personAccount.providerId, "credential")),
    /** A link that was neither used nor withdrawn, and has not expired. */
    isUsableLink: (now: number): SQL | undefined =>
      and(isNull(invitation.acceptedAt), isNull(invitation.revokedAt), gt(invitation.expiresAt, now)),
  };
}
