"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { auditActionSchema, type AuditEntry } from "../../server/contract/access/audit.ts";
import type { Column } from "../list/column.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { Choice } from "../ui/choice.tsx";
import { EmptyState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { actorWords, auditWords, detailWords, subjectHref } from "./audit-text.ts";

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
    cell: (entry) => (
      <span
        title={entry.subject ?? undefined}
        className={`block truncate font-mono text-s ${subjectHref(entry) ? "text-accent" : ""}`}
      >
        {entry.subject}
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
