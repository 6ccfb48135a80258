"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Window } from "../../../server/contract/traffic.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { ErrorNote } from "../../ui/states.tsx";
import { Segmented } from "../../ui/choice.tsx";
import { Histogram } from "./histogram.tsx";
import { type Counts, type Kind, styleOf, toneOf } from "./buckets.ts";
import {
  type DeliveryFilters,
  histogramInput,
  outcomes,
  type Recent,
  verdictChoices,
  windows,
} from "../list/delivery-filters.ts";
import { formatNumber } from "../../../server/domain/format.ts";

interface Props {
  filters: DeliveryFilters;
  recent: Recent;
  onChange: (some: Partial<DeliveryFilters>) => void;
  onWindow: (window: Window | null) => void;
}

const filterNames = { outcome: "outcome", status: "status", trigger: "trigger", text: "text" };
const windowOptions = [{ value: "all" as const, label: "All" }, ...windows.map((value) => ({ value, label: value }))];

/** Deliveries over time, and the selected time range. The window is also that of the list. */
export function HistogramPanel({ filters, recent, onChange, onWindow }: Props) {
  const trpc = useTRPC();
  const { since, until } = filters;
  const histogram = useQuery(
    trpc.deliveries.histogram.queryOptions(histogramInput(filters, recent), { placeholderData: keepPreviousData }),
  );
  const ignored = histogram.data?.ignored ?? [];
  return (
    <section aria-label="Deliveries over time" className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-2">
        {histogram.data && <Legend counts={histogram.data} filters={filters} onChange={onChange} />}
        {ignored.length > 0 && (
          <p className="text-s text-ink-3">
            Counted without the filter by {new Intl.ListFormat("en").format(ignored.map((name) => filterNames[name]))}.
          </p>
        )}
        <span className="ml-auto">
          <Segmented
            label="Time window"
            value={recent.window ?? "all"}
            options={windowOptions}
            onChange={(value) => onWindow(value === "all" ? null : value)}
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

/** The counted categories. A click filters the list by one of them, a second click removes the filter. */
function Legend({
  counts: { kinds, buckets },
  filters,
  onChange,
}: {
  counts: Counts;
  filters: DeliveryFilters;
  onChange: Props["onChange"];
}) {
  return (
    <ul aria-label="Counts" className="-ml-1.5 flex flex-wrap gap-x-1 text-s text-ink-2">
      {kinds.map((kind) => {
        const { icon: Icon, label } = styleOf(kind);
        const filter = filterOf(kind, filters);
        return (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={filter.isSet}
              disabled={filter.change === null}
              onClick={() => filter.change && onChange(filter.change)}
              className="inline-flex h-7 cursor-pointer items-center gap-1 rounded-m px-1.5 enabled:hover:bg-sunken enabled:hover:text-ink disabled:cursor-default aria-pressed:bg-accent-soft"
            >
              <Icon aria-hidden size={13} className={toneOf(kind).text} />
              <span className="font-[560] text-ink tabular-nums">
                {formatNumber(buckets.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0))}
              </span>
              {label}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The filter by an outcome, or by the verdict of the chosen trigger. `change: null`: the list has no such filter. */
function filterOf(
  kind: Kind,
  { outcome, trigger, verdict }: DeliveryFilters,
): { isSet: boolean; change: Partial<DeliveryFilters> | null } {
  const [isOutcome, isVerdict] = [outcomes.find((one) => one === kind), verdictChoices.find((one) => one === kind)];
  if (isOutcome) return { isSet: outcome === isOutcome, change: { outcome: outcome === isOutcome ? null : isOutcome } };
  if (!isVerdict || trigger === null) return { isSet: false, change: null };
  return { isSet: verdict === isVerdict, change: { verdict: verdict === isVerdict ? null : isVerdict } };
}
