"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { Repeat } from "lucide-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import type { DeliveryRow, DeliverySummary } from "../../../server/contract/delivery.ts";
import { formatBytes, formatDuration } from "../../../server/domain/format.ts";
import { jsonCurl } from "../../curl/curl-command.ts";
import { PlainText } from "../../json/plain-text.tsx";
import type { Column } from "../../list/column.ts";
import { useLivePages } from "../../list/use-live-pages.ts";
import { VirtualTable } from "../../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useIsHydrated } from "../../ui/browser.ts";
import { endpointPath } from "../delivery-curl.ts";
import { HistogramPanel } from "../histogram/histogram-panel.tsx";
import { OutcomeBadge } from "../outcome-badge.tsx";
import { ReleaseBar } from "../release/release-bar.tsx";
import { DeliveriesFilterBar } from "./deliveries-filter-bar.tsx";
import { activeFilters, deliveryFilterParsers, type DeliveryFilters, listInput, pageRows } from "./delivery-filters.ts";

const number = "block whitespace-nowrap text-ink-2 tabular-nums";

const deliveryColumns: readonly Column<DeliveryRow>[] = [
  { id: "time", name: "Received", width: "84px", cell: ({ receivedAt }) => <RelativeTime iso={receivedAt} /> },
  { id: "response", name: "Response", width: "124px", cell: (delivery) => <OutcomeBadge delivery={delivery} /> },
  {
    id: "endpoint",
    name: "Endpoint",
    width: "minmax(88px, 1fr)",
    cell: (delivery) => <Endpoint delivery={delivery} />,
  },
  { id: "decision", name: "Decision", width: "minmax(0, 3fr)", cell: (delivery) => <Decision delivery={delivery} /> },
  {
    id: "size",
    name: "Body",
    width: "68px",
    isHiddenNarrow: true,
    from: "lg",
    cell: ({ bodyBytes }) => <span className={number}>{formatBytes(bodyBytes)}</span>,
  },
  {
    id: "took",
    name: "Duration",
    width: "68px",
    isHiddenNarrow: true,
    from: "lg",
    cell: ({ durationMs }) => <span className={number}>{formatDuration(durationMs)}</span>,
  },
];

const noIds: ReadonlySet<string> = new Set();

/** The live list of deliveries, with filters and a histogram. */
export function DeliveriesPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [filters, setFilters] = useQueryStates(deliveryFilterParsers, { history: "push" });
  const input = listInput(filters);
  const pages = useLivePages<DeliveryRow>({
    queryKey: trpc.deliveries.list.queryKey(input),
    fetch: (cursor, _limit, signal) => client.deliveries.list.query({ ...input, cursor }, { signal }),
    rowKey: ({ id }) => id,
    pageRows,
  });
  const change = (some: Partial<DeliveryFilters>) => void setFilters(some);
  const hash = JSON.stringify(filters);
  // Another filter shows other deliveries, so the selection is cleared.
  const [selection, setSelection] = useState<{ hash: string; ids: ReadonlySet<string> }>({ hash, ids: new Set() });
  const selected = selection.hash === hash ? selection.ids : noIds;
  const select = (ids: ReadonlySet<string>) => setSelection({ hash, ids });
  const isOfHeld = filters.outcome === "held";
  const isFiltered = activeFilters(filters).length > 0;
  return (
    <>
      <h1 className="mb-3 text-xl font-[640] tracking-[-0.015em]">Deliveries</h1>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <DeliveriesFilterBar filters={filters} onChange={change} />
        <HistogramPanel filters={filters} onChange={change} />
        {isOfHeld && (
          <ReleaseBar
            filters={filters}
            hasRows={pages.rows.length > 0}
            selected={pages.rows.flatMap(({ id }) => (selected.has(id) ? [id] : []))}
            onClear={() => select(noIds)}
          />
        )}
        <VirtualTable
          {...pages}
          label="Deliveries"
          {...(isOfHeld && { selection: { selected, onChange: select } })}
          columns={deliveryColumns}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/deliveries/${encodeURIComponent(id)}`}
          rowLabel={({ id, endpoint, responseStatus }) => `Delivery ${id} to ${endpoint}, status ${responseStatus}`}
          emptyState={<NothingFound isFiltered={isFiltered} onClear={() => void setFilters(null)} />}
        />
      </div>
    </>
  );
}

/** The empty list: how to send the first delivery, or how to clear the filters. */
function NothingFound({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <FirstDelivery />;
  return (
    <EmptyState title="No deliveries match these filters">
      <p className="mb-3">Clear a filter to see more. Deliveries older than the retention are deleted.</p>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyState>
  );
}

function FirstDelivery() {
  const trpc = useTRPC();
  const [first] = useQuery(trpc.triggers.names.queryOptions()).data?.triggers ?? [];
  const { data: details } = useQuery(trpc.triggers.get.queryOptions(first ? { slug: first.slug } : skipToken));
  const isHydrated = useIsHydrated();
  if (!first)
    return (
      <EmptyState title="No deliveries yet">
        Incoming webhooks appear here. Define a trigger in the folder triggers/ first: its endpoint then accepts
        webhooks.
      </EmptyState>
    );
  const address = `${isHydrated ? location.origin : ""}${endpointPath(first.endpoint)}`;
  const command = jsonCurl({ url: address, text: JSON.stringify(details?.example ?? {}) });
  return (
    <EmptyState title="No deliveries yet">
      <p>
        Incoming webhooks appear here, including rejected ones with the reason. This command sends {first.slug} a body
        that it accepts:
      </p>
      <div className="mt-3 rounded-m border bg-sunken">
        <CodeBlock label="The first webhook" text={command} copyLabel="Copy command" />
      </div>
    </EmptyState>
  );
}

function Endpoint({ delivery: { endpoint, redeliveryOf } }: { delivery: DeliverySummary }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <code title={endpoint} className="truncate">
        <PlainText text={endpoint || "(empty)"} />
      </code>
      {redeliveryOf !== null && (
        <span
          title={`Redelivery of ${redeliveryOf}`}
          className="inline-flex shrink-0 items-center gap-1 text-xs text-ink-3"
        >
          <Repeat aria-hidden size={12} />
          redelivery
        </span>
      )}
    </span>
  );
}

/** Why a delivery did, or did not, start a run, in one line. A near miss links to the similar endpoint. */
function Decision({ delivery: { decision: text, probableEndpoint: meant } }: { delivery: DeliveryRow }) {
  return (
    <span title={text} className="block truncate text-ink-2">
      <PlainText text={text} />
      {meant !== null && (
        <>
          ; did you mean{" "}
          <Link
            href={`/?node=${encodeURIComponent(`endpoint:${meant}`)}`}
            prefetch={false}
            className="font-mono text-accent hover:underline"
          >
            {meant}
          </Link>
          ?
        </>
      )}
    </span>
  );
}
