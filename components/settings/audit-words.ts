import type { AuditAction, AuditEntry } from "../../server/contract/audit.ts";

/** The label of each action. */
export const auditWords: Record<AuditAction, string> = {
  "session.started": "Signed in",
  "session.refused": "Failed to sign in",
  "session.ended": "Ended a session",
  "person.joined": "Joined",
  "person.role-changed": "Changed a role",
  "person.removed": "Removed a person",
  "person.password-changed": "Changed their password",
  "person.reset-link-created": "Created a reset link",
  "person.password-reset": "Reset their password",
  "invitation.created": "Created an invitation",
  "invitation.revoked": "Revoked a link",
  "key.created": "Created a key",
  "key.shown": "Viewed a webhook key",
  "key.rotated": "Rotated a key",
  "key.revoked": "Revoked a key",
  "run.started": "Started runs",
  "run.canceled": "Canceled runs",
  "run.replayed": "Replayed runs",
  "approval.decided": "Decided an approval",
  "delivery.sent": "Sent a delivery",
  "delivery.redelivered": "Redelivered",
  "trigger.disabled": "Disabled a trigger",
  "trigger.enabled": "Enabled a trigger",
  "preset.saved": "Saved a preset",
  "preset.removed": "Removed a preset",
};

const kinds: Record<AuditEntry["actor"]["kind"], string> = {
  person: "a removed person",
  token: "an API token",
  webhook: "a webhook key",
  machine: "this machine",
  anonymous: "unauthenticated",
};

export function actorWords({ actor }: AuditEntry): string {
  if (actor.name === null) return kinds[actor.kind];
  return actor.kind === "token" ? `token ${actor.name}` : actor.name;
}

/** The page of the subject; `null`: it has none. */
export function subjectHref({ action, subject }: AuditEntry): string | null {
  if (subject === null) return null;
  if (subject.startsWith("run_")) return `/runs/${encodeURIComponent(subject)}`;
  if (subject.startsWith("dlv_")) return `/deliveries/${encodeURIComponent(subject)}`;
  return action.startsWith("key.") ? "/settings/keys" : null;
}

/** `role: admin, note: Ada`: the details in one line. */
export function detailWords({ detail }: AuditEntry): string {
  if (detail === null || typeof detail !== "object" || Array.isArray(detail)) return "";
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
