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
}

export const machine: Doer = { actor: { kind: "machine", id: null, name: null }, address: null };

export function doerOf(principal: Principal, address: string | null): Doer {
  return { actor: actorOf(principal), address };
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

/** A line of the audit log. Details never hold what opens anything. */
export function auditOf(doer: Doer, p: { action: AuditAction; subject: string | null; detail?: Json; now: number }): NewAuditEntry {
  return { id: newId("aud", p.now), at: p.now, action: p.action, ...doer, subject: p.subject, detail: p.detail ?? null };
}
