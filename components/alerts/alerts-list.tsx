"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { Alert, AlertMessage } from "../../server/contract/alert.ts";
import { formatRelativeTime } from "../../server/shared/format.ts";
import { useDisabledReason } from "../auth/access.tsx";
import type { Column } from "../list/column.ts";
import { pageRows } from "../list/list-state.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { describeProblem } from "../ui/problem-of.ts";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Segmented } from "../ui/controls/choice.tsx";
import { EmptyState } from "../ui/states.tsx";
import { alertStatuses } from "../ui/statuses.ts";
import { RelativeTime, useNow } from "../ui/time.tsx";
import { useToast } from "../ui/overlays/toast.tsx";

const columns: readonly Column<Alert>[] = [
  {
    id: "status",
    name: "Status",
    width: "104px",
    cell: ({ status }) => <StatusBadge status={alertStatuses[status]} />,
  },
  {
    id: "title",
    name: "Alert",
    width: "minmax(0, 2fr)",
    cell: ({ title }) => (
      <span title={title} className="line-clamp-3 wrap-anywhere">
        {title}
      </span>
    ),
  },
  { id: "opened", name: "Opened", width: "110px", cell: ({ openedAt }) => <RelativeTime iso={openedAt} /> },
  {
    id: "resolved",
    name: "Resolved",
    width: "110px",
    cell: ({ resolvedAt }) => (resolvedAt === null ? null : <RelativeTime iso={resolvedAt} />),
    isHiddenNarrow: true,
    from: "lg",
  },
  {
    id: "sent",
    name: "Sent to",
    width: "minmax(0, 1fr)",
    cell: ({ messages }) => <SentTo messages={messages} />,
    isHiddenNarrow: true,
    from: "lg",
  },
];

const statuses = ["all", "active", "resolved"] as const;
const options = [
  { value: "all", label: "All" },
  { value: "active", label: "Active" },
  { value: "resolved", label: "Resolved" },
] as const;

/** Active and past alerts, newest first. */
export function AlertsList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [status, setStatus] = useQueryState("status", parseAsStringLiteral(statuses).withDefault("all"));
  const filter = status === "all" ? {} : { isActive: status === "active" };
  const counted = useQuery(trpc.alerts.countActive.queryOptions());
  const pages = useLivePages<Alert>({
    queryKey: trpc.alerts.list.queryKey({ ...filter, limit: pageRows }),
    fetch: ({ cursor }) => client.alerts.list.query({ ...filter, limit: pageRows, cursor }),
    rowKey: ({ id }) => id,
  });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <Segmented label="Status" value={status} options={options} onChange={(next) => void setStatus(next)} />
        <TestButton />
      </div>
      <VirtualTable
        {...pages}
        label="Alerts"
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={({ path }) => path}
        rowLabel={({ title }) => title}
        emptyState={counted.data?.isOn === false ? <NoRules /> : <NoAlerts />}
      />
    </>
  );
}

function NoRules() {
  return (
    <EmptyState title="Alerts are off">
      Write <code>alerts: {"{}"}</code> in <code>signalbox.config.ts</code>. Alerts then open when runs fail, endpoints
      reject their deliveries, queues are full, approvals wait, keys expire, due runs do not start, runs leave their
      build, the disk is almost full, or the store is unavailable.
    </EmptyState>
  );
}

function NoAlerts() {
  return (
    <EmptyState title="No alerts">
      Failed runs, mismatches, full queues, pending approvals, expiring keys and outages of the store appear here.
    </EmptyState>
  );
}

/** Sends a test message to each destination, and shows the results. */
function TestButton() {
  const trpc = useTRPC();
  const toast = useToast();
  const disabledReason = useDisabledReason("admin");
  const test = useMutation(
    trpc.alerts.test.mutationOptions({
      onSuccess: (results) => {
        for (const { destination, isSent, error } of results)
          toast({
            tone: isSent ? "ok" : "bad",
            text: isSent ? `Test alert sent to ${destination}.` : `${destination}: the test alert failed, ${error}.`,
          });
      },
      onError: (error) => toast({ tone: "bad", text: `No test alert was sent. ${describeProblem(error)}` }),
    }),
  );
  return (
    <Button
      icon={Send}
      disabledReason={disabledReason}
      disabled={test.isPending}
      aria-busy={test.isPending}
      onClick={() => test.mutate()}
    >
      Send test alert
    </Button>
  );
}

/** The newest message to each destination, with its result. */
function SentTo({ messages }: { messages: readonly AlertMessage[] }) {
  const now = useNow();
  const newest = new Map(messages.toReversed().map((message) => [message.destination, message]));
  if (newest.size === 0) return <span className="text-ink-3">not sent</span>;
  const text = [...newest.values()].map((message) => describeMessage(message, now)).join(", ");
  return (
    <span className="block truncate text-ink-2" title={text}>
      {text}
    </span>
  );
}

function describeMessage({ destination, status, sentAt, error, attempts }: AlertMessage, now: number): string {
  if (status === "sent" && sentAt !== null) return `${destination} ${formatRelativeTime(sentAt, now)}`;
  if (status === "failed") return `${destination}: failed, ${error ?? ""}`;
  return attempts === 0 || error === null ? `${destination}: sending` : `${destination}: retrying, ${error}`;
}
