"use client";

import { useQueryStates } from "nuqs";
import { useState } from "react";
import type { RunSummary } from "../../server/contract/run.ts";
import { useLivePages } from "../list/use-live-pages.ts";
import { VirtualTable } from "../list/virtual-table.tsx";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { useNow } from "../ui/use-now.ts";
import type { BulkAction } from "./bulk-action.ts";
import { BulkDialogs, type BulkTarget } from "./bulk-dialogs.tsx";
import { runColumns, runLabel } from "./run-columns.tsx";
import { runFilterParsers, runsPageRows, toRunFilter } from "./run-filters.ts";
import { RunsEmpty } from "./runs-empty.tsx";
import { RunsFilterBar } from "./runs-filter-bar.tsx";
import { RunsSelectionBar } from "./runs-selection-bar.tsx";

interface Selected {
  ids: ReadonlySet<string>;
  /** Set: all that match the filter and were there at this time. */
  allUntil: string | null;
}

const nothing: Selected = { ids: new Set(), allUntil: null };

/** All runs, newest first: live, filtered by the URL, with actions on many. */
export function RunsList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [state, setState] = useQueryStates(runFilterParsers, { history: "push" });
  const filter = toRunFilter(state, useNow());
  const hash = JSON.stringify(filter);
  const [selection, setSelection] = useState({ hash, selected: nothing });
  // Another filter shows other runs: what was selected is not in sight any more.
  const selected = selection.hash === hash ? selection.selected : nothing;
  const select = (next: Selected) => setSelection({ hash, selected: next });
  const [action, setAction] = useState<{ action: BulkAction; target: BulkTarget } | null>(null);
  const pages = useLivePages<RunSummary>({
    queryKey: trpc.runs.list.queryKey({ ...filter, limit: runsPageRows }),
    fetch: (cursor, limit) => client.runs.list.query({ ...filter, limit, cursor }),
    rowKey: (run) => run.id,
    pageRows: runsPageRows,
  });
  const targetOf = (): BulkTarget =>
    selected.allUntil === null ? { kind: "chosen", runs: pages.rows.filter(({ id }) => selected.ids.has(id)) } : { kind: "matching", filter, until: selected.allUntil };
  return (
    <>
      <RunsFilterBar state={state} filter={filter} onChange={(change) => void setState(change)} />
      <RunsSelectionBar
        filter={filter}
        selected={selected.ids.size}
        hasRows={pages.rows.length > 0}
        allUntil={selected.allUntil}
        onSelectAll={(until) => select({ ids: new Set(pages.rows.map(({ id }) => id)), allUntil: until })}
        onClear={() => select(nothing)}
        onAct={(one) => setAction({ action: one, target: targetOf() })}
      />
      <VirtualTable
        {...pages}
        label="Runs"
        columns={runColumns}
        rowKey={(run) => run.id}
        rowHref={(run) => `/runs/${encodeURIComponent(run.id)}`}
        rowLabel={runLabel}
        selection={{ selected: selected.ids, onChange: (ids) => select({ ids, allUntil: null }) }}
        emptyFace={<RunsEmpty isFiltered={hash !== "{}"} onClear={() => void setState(null)} />}
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
