"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Coins, CornerDownRight } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { runStatusSchema, type RunSummary, type RunWait } from "../../../server/contract/run.ts";
import { describeEvents, describeWait } from "../../../server/shared/runs/describe-wait.ts";
import { formatDuration, formatNumber, formatTokens, formatUsd } from "../../../server/shared/format.ts";
import { canResume } from "../../../server/shared/runs/run-state.ts";
import { HistogramPanel } from "../../histogram/histogram-panel.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import type { Column } from "../../list/column.ts";
import { pageRows } from "../../list/list-state.ts";
import { useLivePages } from "../../list/use-live-pages.ts";
import { VirtualTable } from "../../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime, useNow } from "../../ui/time.tsx";
import { isOpen, runStatuses } from "../../ui/statuses.ts";
import { BulkDialogs, type BulkTarget } from "../bulk/bulk-dialogs.tsx";
import type { BulkAction, Matching } from "../bulk/run-bulk.ts";
import { RunsSelectionBar } from "../bulk/selection-bar.tsx";
import { RunBadge } from "../run-badge.tsx";
import { formatRunsUsage, startedByLabels } from "../run-text.ts";
import {
  growsByNewRuns,
  histogramInput,
  isOfAgents,
  type RunFilter,
  runFilterParsers,
  toRunFilter,
  windowOf,
} from "./run-filters.ts";
import { RunsFilterBar, useAgentNames } from "./runs-filter-bar.tsx";

const minuteMs = 60_000;
/** A full bar is one minute. */
const fullMs = minuteMs;

const runColumns: readonly Column<RunSummary>[] = [
  { id: "status", name: "Status", width: "136px", cell: (run) => <RunBadge run={run} /> },
  {
    id: "id",
    name: "Run",
    width: "116px",
    from: "lg",
    cell: (run) => <code title={run.id}>{`…${run.id.slice(-8)}`}</code>,
  },
  {
    id: "target",
    name: "Target",
    width: "minmax(0, 2.2fr)",
    cell: (run) => (
      <>
        <span className="flex items-baseline gap-2">
          <ChildMark run={run} />
          <span className="truncate font-medium">{run.target.slug}</span>
          {run.key && (
            <span title={`key ${run.key}`} className="truncate text-s text-ink-3">
              {run.key}
            </span>
          )}
          <RecoveryMark run={run} />
          <WaitMark run={run} />
        </span>
        {run.waitsFor?.kind === "event" && (
          <span title={describeWait(run.waitsFor, run)} className="block truncate text-s text-ink-3">
            <PlainText text={`waits for ${describeEvents(run.waitsFor.events)}`} />
          </span>
        )}
        {run.error && (
          <span title={`${run.error.name}: ${run.error.message}`} className="block truncate text-s text-bad">
            <PlainText text={`${run.error.name}: ${run.error.message}`} />
          </span>
        )}
      </>
    ),
  },
  {
    id: "trigger",
    name: "Trigger",
    width: "minmax(0, 1.1fr)",
    cell: (run) => <span className="block truncate">{run.trigger ?? <span className="text-ink-3">–</span>}</span>,
  },
  {
    id: "startedBy",
    name: "Started by",
    width: "minmax(0, 1fr)",
    isHiddenNarrow: true,
    from: "xl",
    cell: (run) => <span className="block truncate text-ink-2">{startedByLabels[run.startedBy]}</span>,
  },
  { id: "when", name: "Created", width: "92px", cell: (run) => <RelativeTime iso={run.createdAt} /> },
  { id: "took", name: "Duration", width: "minmax(120px, 180px)", from: "lg", cell: (run) => <DurationBar run={run} /> },
];

/** Another run called or started this one. */
function ChildMark({ run: { childOf } }: { run: RunSummary }) {
  if (childOf === null) return null;
  return (
    <span title={`Child of ${childOf}`} className="-mr-1 shrink-0 self-center text-ink-3">
      <CornerDownRight aria-hidden size={12} />
      <span className="sr-only">child run</span>
    </span>
  );
}

/** What a person has done about a failure. */
function RecoveryMark({ run }: { run: RunSummary }) {
  if (run.replayedAs !== null)
    return (
      <span title={`Replayed as ${run.replayedAs}`} className="shrink-0 text-s text-ink-3">
        replayed as …{run.replayedAs.slice(-8)}
      </span>
    );
  return run.resumedAt === null ? null : <span className="shrink-0 text-s text-ink-3">resumed</span>;
}

/** Why a run does not start, or keeps others from starting. */
function WaitMark({ run }: { run: RunSummary }) {
  if (run.blocksKey) return <span className="shrink-0 text-s text-bad">blocks its key</span>;
  const { waitsFor } = run;
  if (!waitsFor || waitsFor.kind === "event") return null;
  return (
    <span title={describeWait(waitsFor, run)} className="shrink-0 text-s text-ink-3">
      {waitLabel(waitsFor, run)}
    </span>
  );
}

function waitLabel(wait: RunWait, run: RunSummary): string {
  if (wait.kind === "child")
    return wait.count === 1 ? "waits for a child" : `waits for ${formatNumber(wait.count)} children`;
  if (wait.kind !== "key") return describeWait(wait, run);
  return wait.isBlocked ? "waits: key blocked" : "waits for its key";
}

const spendColumn: Column<RunSummary> = {
  id: "spend",
  name: "Cost",
  width: "112px",
  isHiddenNarrow: true,
  from: "xl",
  cell: ({ tokens, costUsd }) =>
    // Workflows use no tokens.
    tokens !== null && (
      <>
        <span className="block truncate tabular-nums">
          {costUsd === null ? <span className="text-ink-3">unknown</span> : formatUsd(costUsd)}
        </span>
        <span className="block truncate text-s text-ink-3 tabular-nums">{formatTokens(tokens)}</span>
      </>
    ),
};

/** For projects with agents. */
const runColumnsWithSpend: readonly Column<RunSummary>[] = [
  ...runColumns.slice(0, -2),
  spendColumn,
  ...runColumns.slice(-2),
];

interface Selected {
  ids: ReadonlySet<string>;
  /** Set: all runs that match this filter and existed at this time. */
  all: Matching | null;
}

const nothing: Selected = { ids: new Set(), all: null };

/** The live list of runs, newest first, filtered by the URL, with bulk actions. */
export function RunsList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [state, setState] = useQueryStates(runFilterParsers, { history: "push" });
  const now = useNow();
  const filter = toRunFilter(state, now);
  const hash = JSON.stringify(state);
  // "Last hour" moves with every minute; the list keeps its first query key.
  const [begun, setBegun] = useState({ hash, filter });
  if (begun.hash !== hash) setBegun({ hash, filter });
  const name = begun.hash === hash ? begun.filter : filter;
  const [selection, setSelection] = useState({ hash, selected: nothing });
  // Another filter shows other runs, so the selection is cleared.
  const selected = selection.hash === hash ? selection.selected : nothing;
  const select = (next: Selected) => setSelection({ hash, selected: next });
  const [action, setAction] = useState<{ action: BulkAction; target: BulkTarget } | null>(null);
  const pages = useLivePages<RunSummary>({
    queryKey: trpc.runs.list.queryKey({ ...name, limit: pageRows }),
    fetch: (page, signal) =>
      client.runs.list.query({ ...toRunFilter(state, Date.now()), limit: pageRows, ...page }, { signal }),
    rowKey: (run) => run.id,
    grows: growsByNewRuns(filter),
    rereading: {
      canChange: (run) => isOpen(run.status) || canResume(run),
      fetch: (ids) => client.runs.byIds.query({ ids }),
    },
  });
  const minute = Math.floor(now / minuteMs) * minuteMs;
  const histogram = useQuery(
    trpc.runs.histogram.queryOptions(histogramInput(state, minute), { placeholderData: keepPreviousData }),
  );
  const hasSpend = useAgentNames().size > 0;
  const columns = hasSpend ? runColumnsWithSpend : runColumns;
  const targetOf = (): BulkTarget =>
    selected.all === null
      ? { kind: "chosen", runs: pages.rows.filter(({ id }) => selected.ids.has(id)) }
      : { kind: "matching", ...selected.all };
  return (
    <>
      <RunsFilterBar state={state} filter={filter} onChange={(change) => void setState(change)} />
      <div className="mb-3">
        <HistogramPanel
          label="Runs"
          query={histogram}
          since={windowOf(state) ? null : (filter.since ?? null)}
          until={filter.until ?? null}
          onBrush={(times) => void setState(times)}
          window={windowOf(state)}
          onWindow={(window) => void setState({ since: window, until: null })}
          filterOf={(kind) => {
            const status = runStatusSchema.options.find((one) => one === kind);
            const isSet = status !== undefined && state.status === status;
            return { isSet, toggle: status ? () => void setState({ status: isSet ? null : status }) : null };
          }}
        />
      </div>
      <RunsSpend filter={name} />
      <RunsSelectionBar
        filter={filter}
        selected={selected.ids.size}
        hasRows={pages.rows.length > 0}
        isAll={selected.all !== null}
        onSelectAll={(all) => select({ ids: new Set(pages.rows.map(({ id }) => id)), all })}
        onClear={() => select(nothing)}
        onAct={(one) => setAction({ action: one, target: targetOf() })}
      />
      <VirtualTable
        {...pages}
        label="Runs"
        columns={columns}
        rowKey={(run) => run.id}
        rowHref={(run) => `/runs/${encodeURIComponent(run.id)}`}
        rowLabel={runLabel}
        selection={{ selected: selected.ids, onChange: (ids) => select({ ids, all: null }) }}
        emptyState={<RunsEmpty isFiltered={Object.keys(filter).length > 0} onClear={() => void setState(null)} />}
      />
      {action && (
        <BulkDialogs
          action={action.action}
          target={action.target}
          onClose={(isDone) => {
            setAction(null);
            if (isDone) select(nothing);
          }}
        />
      )}
    </>
  );
}

/** The total usage of the filtered runs, if the filter selects runs of agents. */
function RunsSpend({ filter }: { filter: RunFilter }) {
  const trpc = useTRPC();
  const agents = useAgentNames();
  const isFamily = filter.childOf !== undefined && agents.size > 0;
  const isShown = isFamily || isOfAgents(filter) || (filter.target !== undefined && agents.has(filter.target));
  const usage = useQuery(
    trpc.runs.usage.queryOptions(filter, { enabled: isShown, placeholderData: keepPreviousData }),
  ).data;
  if (!isShown) return null;
  return (
    <p
      role="status"
      aria-label="Usage of these runs"
      className="mb-2 flex min-h-5 items-center gap-1.5 text-ink-2 tabular-nums"
    >
      {usage && !(isFamily && usage.runs === 0) && (
        <>
          <Coins aria-hidden size={14} className="shrink-0 text-ink-3" />
          {formatRunsUsage(usage)}
        </>
      )}
    </p>
  );
}

/** The empty list: how to start the first run, or how to clear the filters. */
function RunsEmpty({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState title="No runs match these filters">
        <p>Clear a filter to see more runs.</p>
        <Button className="mt-3" onClick={onClear}>
          Clear all filters
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No runs yet">
      <p>
        Runs of workflows and agents appear here. A run starts when a webhook matches a trigger, when you click “Run” on
        a workflow in the canvas, or from the command line:
      </p>
      <pre
        tabIndex={0}
        role="region"
        aria-label="Command that starts a run"
        className="mt-3 overflow-x-auto rounded-m border bg-sunken px-3 py-2 text-s text-ink"
      >
        {`npx signalbox triggers send <trigger> --data '{ … }'`}
      </pre>
    </EmptyState>
  );
}

function runLabel(run: RunSummary): string {
  return `Run ${run.id} of ${run.target.slug}, ${runStatuses[run.status].label}`;
}

/** The duration of a run, with a bar on a logarithmic scale to compare milliseconds and minutes. */
function DurationBar({ run }: { run: RunSummary }) {
  const now = useNow();
  if (run.startedAt === null) return <span className="text-ink-3">–</span>;
  const ms = Math.max(
    0,
    (run.finishedAt === null ? Math.floor(now / 1000) * 1000 : Date.parse(run.finishedAt)) - Date.parse(run.startedAt),
  );
  const share = Math.min(1, Math.log10(1 + ms) / Math.log10(1 + fullMs));
  return (
    <span className="flex items-center gap-2">
      <span className="w-[72px] shrink-0 tabular-nums">{formatDuration(ms)}</span>
      <span
        aria-hidden
        title="Logarithmic scale; a full bar is 1 minute"
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-sunken"
      >
        <span
          className={`block h-full rounded-full ${isOpen(run.status) ? "bg-run" : run.status === "completed" ? "bg-ok" : run.status === "canceled" ? "bg-idle" : "bg-bad"} opacity-70`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </span>
  );
}
