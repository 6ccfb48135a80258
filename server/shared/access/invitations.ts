import type { Invitation } from "../../contract/access/person.ts";

/** A link can be used once, until it is revoked or expires. */
export function isUsableLink(
  link: { acceptedAt: number | null; revokedAt: number | null; expiresAt: number },
  now: number,
): boolean {
  return link.acceptedAt === null && link.revokedAt === null && link.expiresAt > now;
}

/** Whether a usable link creates an account. A reset link does not: it sets the password of an existing one. */
export function canJoin({ kind }: Pick<Invitation, "kind">): boolean {
  return kind !== "reset";
}

/** The id of the person whose password a usable link sets; `null`: it sets none. */
export function personToReset({ kind, personId }: Pick<Invitation, "kind" | "personId">): string | null {
  return kind === "reset" ? personId : null;
}
