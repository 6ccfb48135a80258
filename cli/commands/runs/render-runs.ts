import type { RunSummary } from "../../../server/contract/run.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import { formatDuration, formatRelativeTime } from "../../../server/domain/format.ts";

/** Runs as a table, with tokens and cost if a run of an agent is among them. */
export function renderRuns(runs: readonly RunSummary[], p: { paint: Paint; now: number }): string {
  if (runs.length === 0) return "";
  const hasSpend = runs.some(({ tokens }) => tokens !== null);
  return renderTable({
    headings: [
      "STATUS",
      "RUN",
      "TARGET",
      "CREATED",
      "TOOK",
      "ATTEMPT",
      ...(hasSpend ? ["TOKENS", "COST"] : []),
      "ERROR",
    ],
    rows: runs.map((run) => [
      renderMark(runMarks[run.status], p.paint),
      run.id,
      `${run.target.kind} ${run.target.slug}`,
      formatRelativeTime(run.createdAt, p.now),
      tookText(run),
      `${run.attempt}/${run.maxAttempts}`,
      ...(hasSpend
        ? [run.tokens === null ? "" : String(run.tokens), run.costUsd === null ? "" : `$${run.costUsd.toFixed(4)}`]
        : []),
      run.error ? plainLine(run.error.message, 60) : "",
    ]),
    paint: p.paint,
  });
}

function tookText({ startedAt, finishedAt }: RunSummary): string {
  return startedAt && finishedAt ? formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)) : "";
}
