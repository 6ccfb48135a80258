import type { AuditAction, AuditActor } from "../contract/audit.ts";
import type { Json } from "../contract/json.ts";
import { newId } from "../domain/ids.ts";
import type { NewAuditEntry } from "../ports/people-store.ts";
import type { Principal } from "./principal.ts";

/** Who does something, and from where: so it stands in the audit log. */
export interface Doer {
  actor: AuditActor;
  /** Network address; `null` on the machine itself. */
  address: string | null;
  /** Who is behind it: the person themselves, or whose token it is; `null`: nobody in particular. */
  personId: string | null;
}

export const machine: Doer = { actor: { kind: "machine", id: null, name: null }, address: null, personId: null };

/** Somebody at the door. */
export function strangerAt(address: string | null): Doer {
  return { actor: { kind: "stranger", id: null, name: null }, address, personId: null };
}

export function doerOf(principal: Principal, address: string | null): Doer {
  return { actor: actorOf(principal), address, personId: personBehind(principal) };
}

function actorOf(principal: Principal): AuditActor {
  switch (principal.kind) {
    case "local":
      return machine.actor;
    case "person":
      return { kind: "person", id: principal.personId, name: principal.name };
    case "token":
      return { kind: "token", id: principal.keyId, name: principal.name };
    case "webhook":
      return { kind: "webhook", id: principal.keyId, name: null };
  }
}

function personBehind(principal: Principal): string | null {
  if (principal.kind === "person") return principal.personId;
  return principal.kind === "token" ? principal.ownerId : null;
}

/** A line of the audit log. Details never hold what opens anything. */
export function auditOf(
  { actor, address }: Pick<Doer, "actor" | "address">,
  p: { action: AuditAction; subject: string | null; detail?: Json; now: number },
): NewAuditEntry {
  return {
    id: newId("aud", p.now),
    at: p.now,
    action: p.action,
    actor,
    address,
    subject: p.subject,
    detail: p.detail ?? null,
  };
}
