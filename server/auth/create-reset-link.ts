import { AppError } from "../contract/app-error.ts";
import type { Invitation } from "../contract/person.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { type InvitationDeps, makeLink } from "./create-invitation.ts";
import type { AuditContext } from "./doer.ts";

/**
 * A link by which a person who is here already sets a new password, once, within an hour; those made for them before
 * end. Nothing is sent: `url` is shown this once. Throws AppError `not_found`, or `invalid_input` where the person
 * signs in without a password.
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
  return makeLink(
    deps,
    {
      kind: "reset",
      role,
      note: email,
      personId,
      audited: (link) => ({ action: "person.reset-link-created", subject: personId, detail: { name, email, link } }),
    },
    auditContext,
  );
}
