"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryState } from "nuqs";
import { windowSchema } from "../../../server/contract/traffic.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { ErrorNote } from "../../ui/states.tsx";
import { Segmented } from "../../ui/choice.tsx";
import { useNow } from "../../ui/time.tsx";
import { Histogram } from "./histogram.tsx";
import { type Counts, styleOf, toneOf } from "./buckets.ts";
import { type DeliveryFilters, histogramInput, windowParser } from "../list/delivery-filters.ts";
import { formatNumber } from "../../../server/domain/format.ts";

interface Props {
  filters: DeliveryFilters;
  onChange: (some: Partial<DeliveryFilters>) => void;
}

const filterNames = { outcome: "outcome", status: "status", trigger: "trigger", text: "text" };
const minuteMs = 60_000;

/** Deliveries over time, and the selected time range. */
export function HistogramPanel({ filters, onChange }: Props) {
  const trpc = useTRPC();
  const [window, setWindow] = useQueryState("window", windowParser);
  // Rounded to the minute, so that the query key does not change every second.
  const now = Math.floor(useNow() / minuteMs) * minuteMs;
  const { since, until } = filters;
  const histogram = useQuery(
    trpc.deliveries.histogram.queryOptions(histogramInput({ ...filters, window, now }), {
      placeholderData: keepPreviousData,
    }),
  );
  const ignored = histogram.data?.ignored ?? [];
  return (
    <section aria-label="Deliveries over time" className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-2">
        {histogram.data && <Legend counts={histogram.data} />}
        {ignored.length > 0 && (
          <p className="text-s text-ink-3">
            Counted without the filter by {new Intl.ListFormat("en").format(ignored.map((name) => filterNames[name]))}.
          </p>
        )}
        <span className="ml-auto">
          <Segmented
            label="Time window"
            value={window}
            options={windowSchema.options.map((value) => ({ value, label: value }))}
            onChange={(value) => void setWindow(value)}
          />
        </span>
      </div>
      {histogram.data ? (
        <Histogram frame={histogram.data} since={since} until={until} onBrush={onChange} />
      ) : histogram.error ? (
        <div className="p-3">
          <ErrorNote
            error={histogram.error}
            title="The counts could not be loaded"
            retry={() => void histogram.refetch()}
          />
        </div>
      ) : (
        <div role="status" aria-label="Loading the counts" className="h-[104px]" />
      )}
    </section>
  );
}

function Legend({ counts: { kinds, buckets } }: { counts: Counts }) {
  return (
    <ul className="flex flex-wrap gap-x-4 text-s text-ink-2">
      {kinds.map((kind) => {
        const { icon: Icon, label } = styleOf(kind);
        return (
          <li key={kind} className="inline-flex items-center gap-1">
            <Icon aria-hidden size={13} className={toneOf(kind).text} />
            <span className="font-[560] text-ink tabular-nums">
              {formatNumber(buckets.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0))}
            </span>
            {label}
          </li>
        );
      })}
    </ul>
  );
}
