"use client";

import { useQueryStates } from "nuqs";
import { useState } from "react";
import type { RunSummary } from "../../server/contract/run.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { isOpen } from "../ui/statuses.ts";
import { useNow } from "../ui/use-now.ts";
import type { BulkAction, Matching } from "./bulk-action.ts";
import { BulkDialogs, type BulkTarget } from "./bulk-dialogs.tsx";
import { runColumns, runColumnsWithSpend, runLabel } from "./run-columns.tsx";
import { runFilterParsers, runsPageRows, toRunFilter } from "./run-filters.ts";
import { RunsEmpty } from "./runs-empty.tsx";
import { RunsFilterBar } from "./runs-filter-bar.tsx";
import { RunsSelectionBar } from "./runs-selection-bar.tsx";
import { RunsSpend } from "./runs-spend.tsx";
import { useAgentNames } from "./use-agent-names.ts";

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
    queryKey: trpc.runs.list.queryKey({ ...name, limit: runsPageRows }),
    fetch: (cursor, limit) => client.runs.list.query({ ...toRunFilter(state, Date.now()), limit, cursor }),
    rowKey: (run) => run.id,
    pageRows: runsPageRows,
    rereading: { canChange: (run) => isOpen(run.status), fetch: (ids) => client.runs.byIds.query({ ids }) },
  });
  const hasSpend = useAgentNames().size > 0;
  const columns = hasSpend ? runColumnsWithSpend : runColumns;
  const targetOf = (): BulkTarget =>
    selected.all === null
      ? { kind: "chosen", runs: pages.rows.filter(({ id }) => selected.ids.has(id)) }
      : { kind: "matching", ...selected.all };
  return (
    <>
      <RunsFilterBar state={state} filter={filter} onChange={(change) => void setState(change)} />
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
        emptyFace={<RunsEmpty isFiltered={Object.keys(filter).length > 0} onClear={() => void setState(null)} />}
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
