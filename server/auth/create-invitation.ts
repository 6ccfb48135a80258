import type { Invitation, Role } from "../contract/person.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import { type AuditContext, auditOf } from "./doer.ts";
import { generateInvitationToken, hashInvitationToken } from "./invitation-token.ts";

const hourMs = 60 * 60 * 1000;
/**
 * Lifetimes: a setup link appears in a terminal or a log; an invitation must last until the person reads it. A person
 * who resets a password uses the link immediately.
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
  auditContext: AuditContext,
): Promise<{ invitation: Invitation; url: string }> {
  return makeLink(
    deps,
    { ...p, personId: null, audited: (id) => ({ action: "invitation.created", subject: id, detail: { ...p } }) },
    auditContext,
  );
}

/** The mechanism of all links that grant access. `audited`: the audit entry for the link with this id. */
export async function makeLink(
  deps: InvitationDeps,
  {
    audited,
    ...p
  }: Pick<Invitation, "kind" | "role" | "note" | "personId"> & {
    audited: (id: string) => Omit<Parameters<typeof auditOf>[1], "now">;
  },
  auditContext: AuditContext,
): Promise<{ invitation: Invitation; url: string }> {
  const now = deps.clock.now();
  const token = generateInvitationToken();
  const id = newId("inv", now);
  const createdBy = auditContext.actor.name ?? auditContext.actor.kind;
  const invitation = await deps.store.createInvitation({
    invitation: {
      ...p,
      id,
      hash: hashInvitationToken(token),
      createdBy,
      createdById: auditContext.personId,
      createdAt: now,
      expiresAt: now + lifetimeMs[p.kind],
    },
    audit: auditOf(auditContext, { ...audited(id), now }),
  });
  return { invitation, url: `${deps.baseUrl()}/${pathOf[p.kind]}/${token}` };
}
