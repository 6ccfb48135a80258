import type { AuditEntry, AuditRow } from "../../contract/access/audit.ts";

/** An entry with its texts, and with a link to the page that it is about. */
export function describeAudit(entry: AuditEntry): AuditRow {
  return { ...entry, actorText: actorText(entry), detailText: detailText(entry), href: hrefOf(entry) };
}

const kinds: Record<AuditEntry["actor"]["kind"], string> = {
  person: "a removed person",
  token: "an API token",
  webhook: "a webhook key",
  machine: "this machine",
  anonymous: "unauthenticated",
};

function actorText({ actor }: AuditEntry): string {
  if (actor.name === null) return kinds[actor.kind];
  return actor.kind === "token" ? `token ${actor.name}` : actor.name;
}

/** The page that an entry is about; `null`: it has none. A run or a delivery comes before the name that started it. */
function hrefOf({ action, subject, detail }: AuditEntry): string | null {
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
function detailText({ detail }: AuditEntry): string {
  if (detail === null || typeof detail !== "object" || Array.isArray(detail)) return "";
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
