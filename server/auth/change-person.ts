import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Role } from "../contract/person.ts";
import type { Clock } from "../ports/clock.ts";
import type { PeopleStore, PersonChange } from "../ports/people-store.ts";
import { type Doer, auditOf } from "./doer.ts";

type Store = Pick<PeopleStore, "listPeople" | "changeRole" | "removePerson">;

/**
 * In force with the person's very next request. Throws AppError `not_found` or `invalid_input` (nobody would be left
 * who is admin).
 */
export async function changeRole(
  deps: { store: Store; clock: Clock },
  { id, role }: { id: string; role: Role },
  doer: Doer,
): Promise<void> {
  const now = deps.clock.now();
  const detail = { ...(await describePerson(deps, id)), to: role };
  refuseUnchanged(
    id,
    await deps.store.changeRole({
      id,
      role,
      now,
      audit: auditOf(doer, { action: "person.role-changed", subject: id, detail, now }),
    }),
  );
}

/** Ends their sessions, their API tokens, and the links that they made. Throws as `changeRole` does. */
export async function removePerson(deps: { store: Store; clock: Clock }, id: string, doer: Doer): Promise<void> {
  const detail = await describePerson(deps, id);
  const now = deps.clock.now();
  const audit = auditOf(doer, { action: "person.removed", subject: id, detail, now });
  const auditToken = (keyId: string) =>
    auditOf(doer, { action: "key.revoked", subject: keyId, detail: { because: "person.removed", person: id }, now });
  refuseUnchanged(id, await deps.store.removePerson({ id, now, audit, auditToken }));
}

/** The log outlives whom it names. */
async function describePerson(
  { store, clock }: { store: Store; clock: Clock },
  id: string,
): Promise<{ [key: string]: Json }> {
  const person = (await store.listPeople(clock.now())).find((one) => one.id === id);
  return person ? { name: person.name, email: person.email, role: person.role } : {};
}

function refuseUnchanged(id: string, outcome: PersonChange): void {
  if (outcome === "unknown") throw new AppError("not_found", `There is no person ${id}.`);
  if (outcome === "last-admin")
    throw new AppError("invalid_input", "This is the last admin. Make somebody else admin first.");
}
