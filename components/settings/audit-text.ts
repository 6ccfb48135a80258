import type { AuditAction, AuditEntry } from "../../server/contract/access/audit.ts";

/** The label of each action. */
export const auditWords: Record<AuditAction, string> = {
  "session.started": "Signed in",
  "session.rejected": "Failed to sign in",
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
  "delivery.revealed": "Revealed the sensitive values of a delivery",
  "run.revealed": "Revealed the sensitive values of a run",
  "key.rotated": "Rotated a key",
  "key.revoked": "Revoked a key",
  "run.started": "Started runs",
  "run.canceled": "Canceled runs",
  "run.resumed": "Resumed runs",
  "feed.opened": "Opened the feed of deliveries",
  "run.replayed": "Replayed runs",
  "approval.decided": "Decided an approval",
  "delivery.sent": "Sent a delivery",
  "delivery.redelivered": "Redelivered",
  "delivery.released": "Released held deliveries",
  "trigger.disabled": "Disabled a trigger",
  "trigger.enabled": "Enabled a trigger",
  "build.rolled-back": "Rolled back to a build",
  "preset.saved": "Saved a preset",
  "preset.removed": "Removed a preset",
  "alert.tested": "Sent a test alert",
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

/** The page that an entry is about; `null`: it has none. A run or a delivery comes before the name that started it. */
export function subjectHref({ action, subject, detail }: AuditEntry): string | null {
  const fields = detail !== null && typeof detail === "object" && !Array.isArray(detail) ? detail : {};
  const ids = [subject, fields["runId"], fields["deliveryId"], fields["made"]].filter((id) => typeof id === "string");
  const run = ids.find((id) => id.startsWith("run_"));
  if (run) return `/runs/${encodeURIComponent(run)}`;
  const delivery = ids.find((id) => id.startsWith("dlv_"));
  if (delivery) return `/deliveries/${encodeURIComponent(delivery)}`;
  if (action.startsWith("trigger.") && subject !== null)
    return `/?${new URLSearchParams({ node: `trigger:${subject}` })}`;
  return pages[action.split(".")[0] ?? ""] ?? null;
}

/** By the subject of the action. */
const pages: Partial<Record<string, string>> = {
  person: "/settings/people",
  invitation: "/settings/people",
  key: "/settings/keys",
  build: "/settings/builds",
  alert: "/alerts",
};

/** `role: admin, note: Ada`: the details in one line. */
export function detailWords({ detail }: AuditEntry): string {
  if (detail === null || typeof detail !== "object" || Array.isArray(detail)) return "";
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
