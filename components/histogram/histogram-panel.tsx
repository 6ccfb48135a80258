"use client";

import type { Histogram as Answer, Window } from "../../server/contract/traffic.ts";
import { formatNumber } from "../../server/shared/format.ts";
import { formatFilterTime } from "../list/filters/active-filters.ts";
import { Segmented } from "../ui/controls/choice.tsx";
import { ErrorNote } from "../ui/states.tsx";
import { toneTexts } from "../ui/statuses.ts";
import { type Counts, type Kind, styleOf, windows } from "./buckets.ts";
import { Histogram } from "./histogram.tsx";

/**
 * The filter by a category: whether it is set, and what sets or removes it. `toggle: null`: the list has no such
 * filter.
 */
type FilterOf = (kind: Kind) => { isSet: boolean; toggle: (() => void) | null };

interface Props {
  /** What is counted: `Deliveries`. */
  label: string;
  query: { data: Answer<Kind> | undefined; error: unknown; refetch: () => unknown };
  /** The selected range within the window. */
  since: string | null;
  until: string | null;
  onBrush: (times: { since: string | null; until: string | null }) => void;
  window: Window | null;
  onWindow: (window: Window | null) => void;
  filterOf: FilterOf;
}

const filterNames: Partial<Record<Answer<Kind>["ignored"][number], string>> = { redeliveryOf: "redelivered delivery" };
const windowOptions = [{ value: "all" as const, label: "All" }, ...windows.map((value) => ({ value, label: value }))];

/** The rows of a list over time, and the selected time range. The window is also that of the list. */
export function HistogramPanel({ label, query, since, until, onBrush, window, onWindow, filterOf }: Props) {
  const { data, error, refetch } = query;
  return (
    <section aria-label={`${label} over time`} className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-2">
        {data && <Legend counts={data} filterOf={filterOf} />}
        {data && data.ignored.length > 0 && (
          <p className="text-s text-ink-3">
            Counted without the filter by{" "}
            {new Intl.ListFormat("en").format(data.ignored.map((name) => filterNames[name] ?? name))}.
          </p>
        )}
        {data && data.countedSince !== null && (
          <p className="text-s text-ink-3">Only the newest are counted, since {formatFilterTime(data.countedSince)}.</p>
        )}
        <span className="ml-auto">
          <Segmented
            label="Time window"
            value={window ?? "all"}
            options={windowOptions}
            onChange={(value) => onWindow(value === "all" ? null : value)}
          />
        </span>
      </div>
      {data ? (
        <Histogram label={label} frame={data} since={since} until={until} onBrush={onBrush} />
      ) : error ? (
        <div className="p-3">
          <ErrorNote error={error} title="The counts could not be loaded" retry={() => void refetch()} />
        </div>
      ) : (
        <div role="status" aria-label="Loading the counts" className="h-[104px]" />
      )}
    </section>
  );
}

/** The counted categories. A click filters the list by one of them, a second click removes the filter. */
function Legend({ counts: { kinds, buckets }, filterOf }: { counts: Counts; filterOf: FilterOf }) {
  return (
    <ul aria-label="Counts" className="-ml-1.5 flex flex-wrap gap-x-1 text-s text-ink-2">
      {kinds.map((kind) => {
        const { icon: Icon, label, tone } = styleOf(kind);
        const { isSet, toggle } = filterOf(kind);
        return (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={isSet}
              disabled={toggle === null}
              onClick={() => toggle?.()}
              className="inline-flex h-7 cursor-pointer items-center gap-1 rounded-m px-1.5 enabled:hover:bg-sunken enabled:hover:text-ink disabled:cursor-default aria-pressed:bg-accent-soft"
            >
              <Icon aria-hidden size={13} className={toneTexts[tone]} />
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
