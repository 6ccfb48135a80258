"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type AuditAction, auditActionSchema, type AuditEntry } from "../../server/contract/access/audit.ts";
import type { Column } from "../list/column.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { Choice } from "../ui/choice.tsx";
import { EmptyState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";

/** The label of each action. */
const auditWords: Record<AuditAction, string> = {
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

const rowsOfPage = 50;

const columns: readonly Column<AuditEntry>[] = [
  { id: "when", name: "Time", width: "90px", cell: ({ at }) => <RelativeTime iso={at} /> },
  {
    id: "who",
    name: "Actor",
    width: "minmax(0, 150px)",
    cell: (entry) => <span className="block truncate">{actorWords(entry)}</span>,
  },
  {
    id: "what",
    name: "Action",
    width: "180px",
    cell: ({ action }) => <span className={action === "session.rejected" ? "text-bad" : ""}>{auditWords[action]}</span>,
  },
  {
    id: "subject",
    name: "Subject",
    width: "minmax(0, 1fr)",
    cell: ({ subject }) => (
      <span title={subject ?? undefined} className="block truncate font-mono text-s">
        {subject}
      </span>
    ),
  },
  {
    id: "detail",
    name: "Details",
    width: "minmax(0, 1.4fr)",
    cell: (entry) => (
      <span className="block truncate text-s text-ink-2" title={detailWords(entry)}>
        {detailWords(entry)}
      </span>
    ),
    isHiddenNarrow: true,
    from: "lg",
  },
  {
    id: "from",
    name: "Address",
    width: "140px",
    cell: ({ address }) => <span className="truncate font-mono text-s">{address}</span>,
    isHiddenNarrow: true,
    from: "xl",
  },
];

const everything = "all";
const options = [
  { value: everything, label: "All actions" } as const,
  ...auditActionSchema.options.map((value) => ({ value, label: auditWords[value] })),
];

/** The audit log, newest first. */
export function AuditList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [action, setAction] = useQueryState("action", parseAsStringLiteral(auditActionSchema.options));
  const filter = action === null ? {} : { action };
  const pages = useLivePages<AuditEntry>({
    queryKey: trpc.audit.list.queryKey({ ...filter, limit: rowsOfPage }),
    fetch: (cursor, limit) => client.audit.list.query({ ...filter, limit, cursor }),
    rowKey: ({ id }) => id,
    pageRows: rowsOfPage,
  });
  return (
    <>
      <div className="mb-3">
        <Choice
          label="Action"
          value={action ?? everything}
          options={options}
          onChange={(value) => void setAction(value === everything ? null : value)}
        />
      </div>
      <VirtualTable
        {...pages}
        label="Audit log"
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={(entry) => subjectHref(entry) ?? `/settings/audit?action=${entry.action}`}
        rowLabel={(entry) => `${actorWords(entry)}: ${auditWords[entry.action]} ${entry.subject ?? ""}`}
        emptyState={
          <EmptyState title="No audit entries yet">
            Sign-ins, changes to keys and people, and runs started, canceled, resumed or replayed by hand appear here.
            Each entry names the actor and the address.
          </EmptyState>
        }
      />
    </>
  );
}

function actorWords({ actor }: AuditEntry): string {
  if (actor.name === null) return kinds[actor.kind];
  return actor.kind === "token" ? `token ${actor.name}` : actor.name;
}

/** The page of the subject; `null`: it has none. */
function subjectHref({ action, subject }: AuditEntry): string | null {
  if (subject === null) return null;
  if (subject.startsWith("run_")) return `/runs/${encodeURIComponent(subject)}`;
  if (subject.startsWith("dlv_")) return `/deliveries/${encodeURIComponent(subject)}`;
  return action.startsWith("key.") ? "/settings/keys" : null;
}

/** `role: admin, note: Ada`: the details in one line. */
function detailWords({ detail }: AuditEntry): string {
  if (detail === null || typeof detail !== "object" || Array.isArray(detail)) return "";
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
