import type { Invitation, Role } from "../contract/person.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { type Doer, auditOf } from "./doer.ts";
import { generateInvitationToken, hashInvitationToken } from "./invitation-token.ts";

const hourMs = 60 * 60 * 1000;
/** A setup link lies in a terminal or a log; an invitation waits for somebody to read their mail. */
const lifetimeMs: Record<Invitation["kind"], number> = { setup: hourMs, invitation: 7 * 24 * hourMs };

type Deps = { store: Pick<PeopleStore, "createInvitation">; clock: Clock; baseUrl: () => string };

/** A link by which one person joins, once. `url` is the link itself, shown this once: only its hash is stored. */
export async function createInvitation(deps: Deps, p: { kind: Invitation["kind"]; role: Role; note: string }, doer: Doer): Promise<{ invitation: Invitation; url: string }> {
  const now = deps.clock.now();
  const token = generateInvitationToken();
  const id = newId("inv", now);
  const invitation = await deps.store.createInvitation({
    invitation: { ...p, id, hash: hashInvitationToken(token), createdBy: doer.actor.name ?? doer.actor.kind, createdAt: now, expiresAt: now + lifetimeMs[p.kind] },
    audit: auditOf(doer, { action: "invitation.created", subject: id, detail: { kind: p.kind, role: p.role, note: p.note }, now }),
  });
  return { invitation, url: `${deps.baseUrl()}/${p.kind === "setup" ? "setup" : "invite"}/${token}` };
}
