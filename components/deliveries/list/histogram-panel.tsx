"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryState } from "nuqs";
import { windowSchema } from "../../../server/contract/window.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { deliveryOutcomes } from "../../ui/statuses.ts";
import { useNow } from "../../ui/use-now.ts";
import { Histogram, type HistogramBucket } from "../histogram/histogram.tsx";
import { type DeliveryFilters, histogramInput, windowParser } from "./delivery-filters.ts";

interface Props {
  filters: DeliveryFilters;
  onChange: (some: Partial<DeliveryFilters>) => void;
}

const tones = { accepted: "text-ok", skipped: "text-idle", repeated: "text-wait", rejected: "text-bad" };
const outcomes = ["accepted", "skipped", "repeated", "rejected"] as const;
const minuteMs = 60_000;

/** How many came when, and the stretch of time that is looked at. */
export function HistogramPanel({ filters, onChange }: Props) {
  const trpc = useTRPC();
  const [window, setWindow] = useQueryState("window", windowParser);
  // By the minute: the question must not change with every second.
  const now = Math.floor(useNow() / minuteMs) * minuteMs;
  const { endpoint, since, until } = filters;
  const histogram = useQuery(trpc.deliveries.histogram.queryOptions(histogramInput({ endpoint, since, until, window, now }), { placeholderData: keepPreviousData }));
  return (
    <section aria-label="Deliveries over time" className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-2">
        <Legend buckets={histogram.data?.buckets ?? []} />
        <span className="ml-auto">
          <Segmented label="How far back" value={window} options={windowSchema.options.map((value) => ({ value, label: value }))} onChange={(value) => void setWindow(value)} />
        </span>
      </div>
      {histogram.data ? (
        <Histogram frame={histogram.data} since={since} until={until} onBrush={onChange} />
      ) : histogram.error ? (
        <div className="p-3">
          <ErrorNote error={histogram.error} what="The counts could not be read" retry={() => void histogram.refetch()} />
        </div>
      ) : (
        <div role="status" aria-label="Counts are being read" className="h-[104px]" />
      )}
    </section>
  );
}

function Legend({ buckets }: { buckets: readonly HistogramBucket[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 text-s text-ink-2">
      {outcomes.map((outcome) => {
        const { icon: Icon, label } = deliveryOutcomes[outcome];
        return (
          <li key={outcome} className="inline-flex items-center gap-1">
            <Icon aria-hidden size={13} className={tones[outcome]} />
            <span className="font-[560] text-ink tabular-nums">{buckets.reduce((sum, bucket) => sum + bucket[outcome], 0).toLocaleString("en")}</span>
            {label}
          </li>
        );
      })}
    </ul>
  );
}
