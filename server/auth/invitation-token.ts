import { createHash, randomBytes } from "node:crypto";

/** The token of an invitation link: 256 random bits. Only its hash is stored. */
export function generateInvitationToken(): string {
  return randomBytes(32).toString("base64url");
}

export function hashInvitationToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
