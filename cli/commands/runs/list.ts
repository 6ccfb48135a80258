import { runFilterSchema } from "../../../server/contract/filters.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { formatDuration, formatNumber, formatRelativeTime, formatUsd } from "../../../server/shared/format.ts";
import { describeWait } from "../../../server/shared/runs/describe-wait.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { withFilterOptions, readFilterOptions } from "../filter-options.ts";
import { cursorOption, limitOption, notifyOlder, pageOf, type PageOptions } from "../options.ts";
import { readRuns } from "./read-runs.ts";

export function registerRunsList(runs: CliCommand, runner: CommandRunner): void {
  const command = runs.subcommand("list", "List runs, newest first", [
    "signalbox runs list --status failed --since 24h",
    "signalbox runs list --target triage --min-cost 0.5",
  ]);
  withFilterOptions(command, runFilterSchema)
    .option(...cursorOption)
    .option(...limitOption("runs"))
    .action(runner.action(listRuns));
}

async function listRuns(context: CommandContext, { cursor, limit, ...options }: PageOptions): Promise<void> {
  const api = await context.api();
  const filter = readFilterOptions(options, runFilterSchema, context.now());
  const document = await readRuns(api, { ...filter, ...pageOf({ cursor, limit }) });
  context.print({
    document,
    text: () => renderRuns(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.notify("No run matches.");
  notifyOlder(context, "runs", document);
}

/** Runs as a table, with tokens and cost if a run of an agent is among them. */
export function renderRuns(runs: readonly RunSummary[], { paint, now }: { paint: Paint; now: number }): string {
  if (runs.length === 0) return "";
  const hasSpend = runs.some(({ tokens }) => tokens !== null);
  const isWaiting = runs.some(({ waitsFor, blocksKey }) => waitsFor || blocksKey);
  const isRecovered = runs.some(({ resumedAt, replayedAs }) => resumedAt !== null || replayedAs !== null);
  return renderTable({
    headings: [
      "STATUS",
      "RUN",
      "TARGET",
      "CREATED",
      "TOOK",
      "ATTEMPT",
      ...(hasSpend ? ["TOKENS", "COST"] : []),
      ...(isWaiting ? ["WAITS FOR"] : []),
      ...(isRecovered ? ["RECOVERY"] : []),
      "ERROR",
    ],
    rows: runs.map((run) => [
      renderMark(runMarks[run.status], paint),
      run.id,
      `${run.target.kind} ${run.target.slug}${run.failureOf === null ? "" : " (onFailure)"}`,
      formatRelativeTime(run.createdAt, now),
      tookText(run),
      `${run.attempt}/${run.maxAttempts}`,
      ...(hasSpend
        ? [run.tokens === null ? "" : formatNumber(run.tokens), run.costUsd === null ? "" : formatUsd(run.costUsd)]
        : []),
      ...(isWaiting ? [waitText(run)] : []),
      ...(isRecovered ? [recoveryText(run)] : []),
      run.error ? plainLine(run.error.message, 60) : "",
    ]),
    paint,
  });
}

function waitText(run: RunSummary): string {
  if (run.blocksKey) return `blocks key ${plainLine(run.key ?? "", 40)}`;
  return run.waitsFor ? plainLine(describeWait(run.waitsFor, run), 90) : "";
}

/** What a person has done about a failure. */
function recoveryText({ resumedAt, replayedAs }: RunSummary): string {
  if (replayedAs !== null) return `replayed as ${replayedAs}`;
  return resumedAt === null ? "" : "resumed";
}

function tookText({ startedAt, finishedAt }: RunSummary): string {
  return startedAt && finishedAt ? formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)) : "";
}
