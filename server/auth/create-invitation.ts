import type { Invitation, Role } from "../contract/person.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { type Doer, auditOf } from "./doer.ts";
import { generateInvitationToken, hashInvitationToken } from "./invitation-token.ts";

const hourMs = 60 * 60 * 1000;
/**
 * A setup link lies in a terminal or a log; an invitation waits for somebody to read their mail. Who wants a new
 * password stands before the door.
 */
const lifetimeMs: Record<Invitation["kind"], number> = { setup: hourMs, invitation: 7 * 24 * hourMs, reset: hourMs };
const pathOf: Record<Invitation["kind"], string> = { setup: "setup", invitation: "invite", reset: "reset" };

export interface InvitationDeps {
  store: Pick<PeopleStore, "createInvitation">;
  clock: Clock;
  baseUrl: () => string;
}

/** A link by which one person joins, once. `url` is the link itself, shown this once: only its hash is stored. */
export function createInvitation(
  deps: InvitationDeps,
  p: { kind: "setup" | "invitation"; role: Role; note: string },
  doer: Doer,
): Promise<{ invitation: Invitation; url: string }> {
  return makeLink(
    deps,
    { ...p, personId: null, audited: (id) => ({ action: "invitation.created", subject: id, detail: { ...p } }) },
    doer,
  );
}

/** The mechanism of all links that let somebody in. `audited`: what the log says of one with this id. */
export async function makeLink(
  deps: InvitationDeps,
  {
    audited,
    ...p
  }: Pick<Invitation, "kind" | "role" | "note" | "personId"> & {
    audited: (id: string) => Omit<Parameters<typeof auditOf>[1], "now">;
  },
  doer: Doer,
): Promise<{ invitation: Invitation; url: string }> {
  const now = deps.clock.now();
  const token = generateInvitationToken();
  const id = newId("inv", now);
  const createdBy = doer.actor.name ?? doer.actor.kind;
  const invitation = await deps.store.createInvitation({
    invitation: {
      ...p,
      id,
      hash: hashInvitationToken(token),
      createdBy,
      createdById: doer.personId,
      createdAt: now,
      expiresAt: now + lifetimeMs[p.kind],
    },
    audit: auditOf(doer, { ...audited(id), now }),
  });
  return { invitation, url: `${deps.baseUrl()}/${pathOf[p.kind]}/${token}` };
}
