import type { RunSummary } from "../../server/contract/run.ts";
import { PlainText } from "../json/plain-text.tsx";
import type { Column } from "../list/column.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { runStatuses } from "../ui/statuses.ts";
import { RunBadge } from "./run-badge.tsx";
import { startedByWords } from "./started-by-words.ts";
import { TookBar } from "./took-bar.tsx";
import { formatTokens, formatUsd } from "../../server/domain/format.ts";

export const runColumns: readonly Column<RunSummary>[] = [
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
        <span className="block truncate font-medium">{run.target.slug}</span>
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
    cell: (run) => <span className="block truncate text-ink-2">{startedByWords[run.startedBy]}</span>,
  },
  { id: "when", name: "Created", width: "92px", cell: (run) => <RelativeTime iso={run.createdAt} /> },
  { id: "took", name: "Duration", width: "minmax(120px, 180px)", from: "lg", cell: (run) => <TookBar run={run} /> },
];

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
export const runColumnsWithSpend: readonly Column<RunSummary>[] = [
  ...runColumns.slice(0, -2),
  spendColumn,
  ...runColumns.slice(-2),
];

export function runLabel(run: RunSummary): string {
  return `Run ${run.id} of ${run.target.slug}, ${runStatuses[run.status].label}`;
}
