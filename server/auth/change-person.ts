import { AppError } from "../contract/app-error.ts";
import type { Role } from "../contract/person.ts";
import type { Clock } from "../ports/clock.ts";
import type { PeopleStore, PersonChange } from "../ports/people-store.ts";
import { type Doer, auditOf } from "./doer.ts";

/** In force with the person's very next request. Throws AppError `not_found` or `invalid_input` (nobody would be left who is admin). */
export async function changeRole(deps: { store: Pick<PeopleStore, "changeRole">; clock: Clock }, { id, role }: { id: string; role: Role }, doer: Doer): Promise<void> {
  const now = deps.clock.now();
  refuseUnchanged(id, await deps.store.changeRole({ id, role, now, audit: auditOf(doer, { action: "person.role-changed", subject: id, detail: { role }, now }) }));
}

/** Ends their sessions as well. Throws as `changeRole` does. */
export async function removePerson(deps: { store: Pick<PeopleStore, "removePerson">; clock: Clock }, id: string, doer: Doer): Promise<void> {
  refuseUnchanged(id, await deps.store.removePerson({ id, audit: auditOf(doer, { action: "person.removed", subject: id, now: deps.clock.now() }) }));
}

function refuseUnchanged(id: string, outcome: PersonChange): void {
  if (outcome === "unknown") throw new AppError("not_found", `There is no person ${id}.`);
  if (outcome === "last-admin") throw new AppError("invalid_input", "This is the last admin. Make somebody else admin first.");
}
