import type { AuditActor } from "../../contract/access/audit.ts";
import type { AuditAction } from "../../contract/access/audit-actions.ts";
import type { Json } from "../../contract/json.ts";
import { newId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { AuditStore, NewAuditEntry } from "../../ports/store/people-store.ts";
import type { Principal } from "./principal.ts";

/** The actor of a request and their address, for the audit log. */
export interface AuditContext {
  actor: AuditActor;
  /** Network address; `null`: on the machine itself. */
  address: string | null;
  /** The person behind the actor: the person themselves, or the owner of the token; `null`: none. */
  personId: string | null;
}

export const machineContext: AuditContext = {
  actor: { kind: "machine", id: null, name: null },
  address: null,
  personId: null,
};

/** An unauthenticated client. */
export function anonymousContext(address: string | null): AuditContext {
  return { actor: { kind: "anonymous", id: null, name: null }, address, personId: null };
}

export function auditContextOf(principal: Principal, address: string | null): AuditContext {
  return { actor: actorOf(principal), address, personId: personBehind(principal) };
}

function actorOf(principal: Principal): AuditActor {
  switch (principal.kind) {
    case "local":
      return machineContext.actor;
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

/** An entry of the audit log. Details never contain secrets. */
export function auditOf(
  { actor, address }: Pick<AuditContext, "actor" | "address">,
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

/** Writes the audit entry of a completed operation. If that fails, the change stays, and the log reports the failure. */
export async function recordOperation(
  deps: { store: Pick<AuditStore, "recordAudit">; clock: Clock; logger: Logger },
  auditContext: AuditContext,
  p: { action: AuditAction; subject: string | null; detail: Json },
): Promise<void> {
  const entry = auditOf(auditContext, { ...p, now: deps.clock.now() });
  await deps.store
    .recordAudit(entry)
    .catch((error: unknown) => deps.logger.error("could not write to the audit log", { ...entry, error }));
}
