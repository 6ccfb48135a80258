"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { AuditRow } from "../../server/contract/access/audit.ts";
import { type AuditAction, auditActions } from "../../server/contract/access/audit-actions.ts";
import type { Column } from "../list/column.ts";
import { pageRows } from "../list/list-state.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { Choice } from "../ui/controls/choice.tsx";
import { EmptyState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";

const columns: readonly Column<AuditRow>[] = [
  { id: "when", name: "Time", width: "90px", cell: ({ at }) => <RelativeTime iso={at} /> },
  {
    id: "who",
    name: "Actor",
    width: "minmax(0, 150px)",
    cell: ({ actorText }) => <span className="block truncate">{actorText}</span>,
  },
  {
    id: "what",
    name: "Action",
    width: "180px",
    cell: ({ action }) => (
      <span className={action === "session.rejected" ? "text-bad" : ""}>{auditActions[action]}</span>
    ),
  },
  {
    id: "subject",
    name: "Subject",
    width: "minmax(0, 1fr)",
    cell: ({ subject, href }) => (
      <span title={subject ?? undefined} className={`block truncate font-mono text-s ${href ? "text-accent" : ""}`}>
        {subject}
      </span>
    ),
  },
  {
    id: "detail",
    name: "Details",
    width: "minmax(0, 1.4fr)",
    cell: ({ detailText }) => (
      <span className="block truncate text-s text-ink-2" title={detailText}>
        {detailText}
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
const actions = Object.keys(auditActions) as AuditAction[];
const options = [
  { value: everything, label: "All actions" } as const,
  ...actions.map((value) => ({ value, label: auditActions[value] })),
];

/** The audit log, newest first. */
export function AuditList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [action, setAction] = useQueryState("action", parseAsStringLiteral(actions));
  const filter = action === null ? {} : { action };
  const pages = useLivePages<AuditRow>({
    queryKey: trpc.audit.list.queryKey({ ...filter, limit: pageRows }),
    fetch: ({ cursor }) => client.audit.list.query({ ...filter, limit: pageRows, cursor }),
    rowKey: ({ id }) => id,
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
        rowHref={({ href, action }) => href ?? `/settings/audit?action=${action}`}
        rowLabel={({ actorText, action, subject }) => `${actorText}: ${auditActions[action]} ${subject ?? ""}`}
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
