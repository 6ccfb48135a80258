import { z } from "zod";
import { passwordSchema } from "../contract/person.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { auditOf } from "./doer.ts";
import { hashInvitationToken } from "./invitation-token.ts";
import { unusableLink } from "./join-by-invitation.ts";

export const resetRequestSchema = z.strictObject({ token: z.string().min(1).max(200), password: passwordSchema });

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
  // Before the expensive part: anonymous clients must not cause password hashing.
  const link = await deps.store.findInvitation(hash, deps.clock.now());
  if (link?.kind !== "reset") throw unusableLink();
  const passwordHash = await (await deps.identity()).hashPassword(password);
  const now = deps.clock.now();
  const actor = { kind: "person" as const, id: link.personId, name: link.note };
  const audit = auditOf(
    { actor, address },
    { action: "person.password-reset", subject: link.personId, detail: { link: link.id, madeBy: link.createdBy }, now },
  );
  if (!(await deps.store.resetPassword({ hash, passwordHash, now, audit }))) throw unusableLink();
}
