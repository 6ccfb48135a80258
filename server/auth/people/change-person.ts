import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import type { Role } from "../../contract/access/person.ts";
import type { PersonChange } from "../../shared/access/people.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";

type Store = Pick<PeopleStore, "listPeople" | "changeRole" | "removePerson">;

/**
 * Takes effect with the person's next request. Throws AppError `not_found`, or `invalid_input` if no admin would be
 * left.
 */
export async function changeRole(
  deps: { store: Store; clock: Clock },
  { id, role }: { id: string; role: Role },
  auditContext: AuditContext,
): Promise<void> {
  const now = deps.clock.now();
  const detail = { ...(await describePerson(deps, id)), to: role };
  rejectUnchanged(
    id,
    await deps.store.changeRole({
      id,
      role,
      now,
      audit: auditOf(auditContext, { action: "person.role-changed", subject: id, detail, now }),
    }),
  );
}

/** Ends their sessions, their API tokens, and the links that they made. Throws as `changeRole` does. */
export async function removePerson(
  deps: { store: Store; clock: Clock },
  id: string,
  auditContext: AuditContext,
): Promise<void> {
  const detail = await describePerson(deps, id);
  const now = deps.clock.now();
  const audit = auditOf(auditContext, { action: "person.removed", subject: id, detail, now });
  const auditToken = (keyId: string) =>
    auditOf(auditContext, {
      action: "key.revoked",
      subject: keyId,
      detail: { because: "person.removed", person: id },
      now,
    });
  rejectUnchanged(id, await deps.store.removePerson({ id, now, audit, auditToken }));
}

/** The audit log outlives the people that it names. */
async function describePerson(
  { store, clock }: { store: Store; clock: Clock },
  id: string,
): Promise<{ [key: string]: Json }> {
  const person = (await store.listPeople(clock.now())).find((one) => one.id === id);
  return person ? { name: person.name, email: person.email, role: person.role } : {};
}

function rejectUnchanged(id: string, outcome: PersonChange): void {
  if (outcome === "unknown") throw new AppError("not_found", `There is no person ${id}.`);
  if (outcome === "last-admin")
    throw new AppError("invalid_input", "This is the last admin. Make another person an admin first.");
}
