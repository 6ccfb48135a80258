"use client";

import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { FlaskConical, type LucideIcon, Repeat } from "lucide-react";
import { useQueryState, useQueryStates } from "nuqs";
import { useState } from "react";
import type { DeliveryRow } from "../../../server/contract/delivery.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { formatBytes, formatDuration } from "../../../server/shared/format.ts";
import { jsonCurl } from "../../curl/curl-command.ts";
import type { Kind } from "../../histogram/buckets.ts";
import { HistogramPanel } from "../../histogram/histogram-panel.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import type { Column } from "../../list/column.ts";
import { useLivePages } from "../../list/use-live-pages.ts";
import { VirtualTable } from "../../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CodeBlock, ShortId } from "../../ui/controls/copy-button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime, useNow } from "../../ui/time.tsx";
import { useIsHydrated } from "../../ui/browser.ts";
import { endpointPath } from "../delivery-curl.ts";
import { EndpointLink, OutcomeBadge } from "../delivery-parts.tsx";
import { ReleaseBar } from "../release/release-bar.tsx";
import { DeliveriesFilterBar } from "./deliveries-filter-bar.tsx";
import {
  activeFilters,
  deliveryFilterParsers,
  type DeliveryFilters,
  growsByNewDeliveries,
  histogramInput,
  listInput,
  outcomes,
  releaseInput,
  verdictChoices,
  windowParser,
} from "./delivery-filters.ts";

const number = "block whitespace-nowrap text-ink-2 tabular-nums";

const deliveryColumns: readonly Column<DeliveryRow>[] = [
  { id: "time", name: "Received", width: "84px", cell: ({ receivedAt }) => <RelativeTime iso={receivedAt} /> },
  { id: "response", name: "Response", width: "124px", cell: (delivery) => <OutcomeBadge delivery={delivery} /> },
  {
    id: "endpoint",
    name: "Endpoint",
    width: "minmax(120px, 1.2fr)",
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

const minuteMs = 60_000;
const noIds: ReadonlySet<string> = new Set();

/** The live list of deliveries, with filters and a histogram. */
export function DeliveriesPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [filters, setFilters] = useQueryStates(deliveryFilterParsers, { history: "push" });
  const [window, setWindow] = useQueryState("window", windowParser.withOptions({ history: "push" }));
  // Rounded to the minute, so that the query keys do not change every second.
  const now = Math.floor(useNow() / minuteMs) * minuteMs;
  const hash = JSON.stringify([filters, window]);
  // "Last hour" moves with every minute; the list keeps its first query key.
  const [begun, setBegun] = useState({ hash, now });
  if (begun.hash !== hash) setBegun({ hash, now });
  const key = listInput(filters, { window, now: begun.hash === hash ? begun.now : now });
  const pages = useLivePages<DeliveryRow>({
    queryKey: trpc.deliveries.list.queryKey(key),
    fetch: (page, signal) =>
      client.deliveries.list.query({ ...listInput(filters, { window, now: Date.now() }), ...page }, { signal }),
    rowKey: ({ id }) => id,
    grows: growsByNewDeliveries(filters),
    rereading: { canChange: ({ outcome }) => outcome === "held" },
  });
  const histogram = useQuery(
    trpc.deliveries.histogram.queryOptions(histogramInput(filters, { window, now }), {
      placeholderData: keepPreviousData,
    }),
  );
  const change = (some: Partial<DeliveryFilters> | null) => void setFilters(some);
  // Another filter shows other deliveries, so the selection is cleared.
  const [selection, setSelection] = useState<{ hash: string; ids: ReadonlySet<string> }>({ hash, ids: new Set() });
  const selected = selection.hash === hash ? selection.ids : noIds;
  const select = (ids: ReadonlySet<string>) => setSelection({ hash, ids });
  const isOfHeld = filters.outcome === "held";
  const isFiltered = activeFilters(filters).length > 0 || window !== null;
  return (
    <>
      <h1 className="mb-3 text-xl font-[640] tracking-[-0.015em]">Deliveries</h1>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <DeliveriesFilterBar filters={filters} onChange={change} />
        <HistogramPanel
          label="Deliveries"
          query={histogram}
          since={filters.since}
          until={filters.until}
          onBrush={change}
          window={window}
          onWindow={(chosen) => void setWindow(chosen)}
          filterOf={(kind) => legendFilter(kind, filters, change)}
        />
        {isOfHeld && (
          <ReleaseBar
            all={releaseInput(filters, { window, now })}
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
          emptyState={
            <NothingFound
              isFiltered={isFiltered}
              onClear={() => void Promise.all([setFilters(null), setWindow(null)])}
            />
          }
        />
      </div>
    </>
  );
}

/** The filter by an outcome, or by the verdict of the chosen trigger. */
function legendFilter(
  kind: Kind,
  { outcome, trigger, verdict }: DeliveryFilters,
  change: (some: Partial<DeliveryFilters>) => void,
): { isSet: boolean; toggle: (() => void) | null } {
  const [isOutcome, isVerdict] = [outcomes.find((one) => one === kind), verdictChoices.find((one) => one === kind)];
  if (isOutcome)
    return {
      isSet: outcome === isOutcome,
      toggle: () => change({ outcome: outcome === isOutcome ? null : isOutcome }),
    };
  if (!isVerdict || trigger === null) return { isSet: false, toggle: null };
  return { isSet: verdict === isVerdict, toggle: () => change({ verdict: verdict === isVerdict ? null : isVerdict }) };
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

/** What was received: the endpoint, the kind of the event, and how it was sent if no sender sent it. */
function Endpoint({ delivery: { endpoint, event, redeliveryOf, headers } }: { delivery: DeliveryRow }) {
  return (
    <>
      <span className="flex min-w-0 items-center gap-1.5">
        <code title={endpoint} className="truncate">
          <PlainText text={endpoint || "(empty)"} />
        </code>
        {redeliveryOf !== null && <Mark icon={Repeat} label="redelivery" title={`Redelivery of ${redeliveryOf}`} />}
        {headers[ownHeaders.sentFrom] === "form" && (
          <Mark icon={FlaskConical} label="test" title="Sent from a form of the app" />
        )}
      </span>
      {event !== null && (
        <span title={event} className="block truncate text-s text-ink-3">
          <PlainText text={event} />
        </span>
      )}
    </>
  );
}

function Mark({ icon: Icon, label, title }: { icon: LucideIcon; label: string; title: string }) {
  return (
    <span title={title} className="inline-flex shrink-0 items-center gap-1 text-xs text-ink-3">
      <Icon aria-hidden size={12} />
      {label}
    </span>
  );
}

/**
 * Why a delivery did, or did not, start or wake a run, in one line. It has links to the runs that it woke, and to the
 * first delivery or a similar endpoint.
 */
function Decision({
  delivery: { decision: text, probableEndpoint: meant, headers, woke = [] },
}: {
  delivery: DeliveryRow;
}) {
  const first = headers[ownHeaders.repeatOf];
  return (
    <span title={text} className="line-clamp-2 wrap-anywhere text-ink-2">
      {text
        .split(/\b(run_\w+)/)
        .map((part, index) =>
          woke.some(({ runId }) => runId === part) ? (
            <ShortId key={index} id={part} href={`/runs/${encodeURIComponent(part)}`} />
          ) : (
            <PlainText key={index} text={part} />
          ),
        )}
      {first !== undefined && (
        <>
          . First: <ShortId id={first} href={`/deliveries/${encodeURIComponent(first)}`} />
        </>
      )}
      {meant !== null && (
        <>
          ; did you mean <EndpointLink endpoint={meant} />?
        </>
      )}
    </span>
  );
}
