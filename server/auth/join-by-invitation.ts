import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import { emailSchema, passwordSchema, personNameSchema } from "../contract/person.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { auditOf } from "./doer.ts";
import { hashInvitationToken } from "./invitation-token.ts";

export const joinRequestSchema = z.strictObject({
  token: z.string().min(1).max(200),
  name: personNameSchema,
  email: emailSchema,
  password: passwordSchema,
});

type JoinRequest = z.infer<typeof joinRequestSchema>;

/** Uses an invitation up: from then on there is a person who signs in. Throws AppError `not_found` or `invalid_input`. */
export async function joinByInvitation(
  deps: {
    store: Pick<PeopleStore, "findInvitation" | "acceptInvitation">;
    identity: Pick<Identity, "hashPassword">;
    clock: Clock;
  },
  { token, name, email, password }: JoinRequest,
  address: string | null,
): Promise<void> {
  const hash = hashInvitationToken(token);
  // Before the expensive part: anonymous clients must not cause password hashing.
  const invitation = await deps.store.findInvitation(hash, deps.clock.now());
  if (!invitation || invitation.kind === "reset") throw unusableLink();
  const passwordHash = await deps.identity.hashPassword(password);
  const now = deps.clock.now();
  const id = newId("per", now);
  const outcome = await deps.store.acceptInvitation({
    hash,
    person: { id, name, email, accountId: newId("acc", now), passwordHash },
    now,
    audit: auditOf(
      { actor: { kind: "person", id, name }, address },
      {
        action: "person.joined",
        subject: id,
        detail: { email, role: invitation.role, invitation: invitation.id },
        now,
      },
    ),
  });
  if (outcome === "unusable") throw unusableLink();
  if (outcome === "email-taken") {
    const message = "This address already has an account. Sign in, or use another address.";
    throw new AppError("invalid_input", message, { errors: [{ pointer: "/email", code: "taken", message }] });
  }
}

export function unusableLink(): AppError {
  return new AppError(
    "not_found",
    "This link has been used, has expired or was withdrawn. Ask its sender for another one.",
  );
}
