import { Option } from "commander";
import { type RunStatus, runStatusSchema, type RunSummary } from "../../../server/contract/run.ts";
import { formatDuration, formatNumber, formatRelativeTime, formatUsd } from "../../../server/domain/format.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import {
  cursorOption,
  limitOption,
  notifyOlder,
  type PageOptions,
  parseSince,
  type Since,
  parseDollars,
  parseTokens,
  startOfPeriod,
} from "../options.ts";
import { readRuns } from "./read-runs.ts";

export function registerRunsList(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("list", "List runs, newest first", [
      "signalbox runs list --status failed --since 24h",
      "signalbox runs list --target triage --min-cost 0.5",
    ])
    .option("--trigger <slug>", "Only runs of this trigger")
    .option("--target <slug>", "Only runs of this workflow or agent")
    .addOption(new Option("--status <status>", "Only runs with this status").choices(runStatusSchema.options))
    .option("--since <duration>", "Only runs of this last period, e.g. 24h, or since an ISO 8601 time", parseSince)
    .option("--unresolved", "Only runs that failed or timed out and have no replay")
    .option("--min-cost <dollars>", "Only agent runs that cost at least this much, in US dollars", parseDollars)
    .option("--min-tokens <number>", "Only agent runs that used at least this many tokens", parseTokens)
    .option(...cursorOption)
    .option(...limitOption("runs"))
    .action(runner.action(listRuns));
}

interface Options extends PageOptions {
  trigger?: string;
  target?: string;
  status?: RunStatus;
  since?: Since;
  minCost?: number;
  minTokens?: number;
  unresolved?: boolean;
}

async function listRuns(context: CommandContext, { since, minCost, unresolved, ...filter }: Options): Promise<void> {
  const api = await context.api();
  const document = await readRuns(api, {
    ...filter,
    minCostUsd: minCost,
    unresolved: unresolved ? "true" : undefined,
    since: startOfPeriod(since, context.now()),
  });
  context.print({
    document,
    text: () => renderRuns(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.notify("No run matches.");
  notifyOlder(context, "runs", document);
}

/** Runs as a table, with tokens and cost if a run of an agent is among them. */
export function renderRuns(runs: readonly RunSummary[], p: { paint: Paint; now: number }): string {
  if (runs.length === 0) return "";
  const hasSpend = runs.some(({ tokens }) => tokens !== null);
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
      ...(isRecovered ? ["RECOVERY"] : []),
      "ERROR",
    ],
    rows: runs.map((run) => [
      renderMark(runMarks[run.status], p.paint),
      run.id,
      `${run.target.kind} ${run.target.slug}${run.failureOf === null ? "" : " (onFailure)"}`,
      formatRelativeTime(run.createdAt, p.now),
      tookText(run),
      `${run.attempt}/${run.maxAttempts}`,
      ...(hasSpend
        ? [run.tokens === null ? "" : formatNumber(run.tokens), run.costUsd === null ? "" : formatUsd(run.costUsd)]
        : []),
      ...(isRecovered ? [recoveryText(run)] : []),
      run.error ? plainLine(run.error.message, 60) : "",
    ]),
    paint: p.paint,
  });
}

/** What a person has done about a failure. */
function recoveryText({ resumedAt, replayedAs }: RunSummary): string {
  if (replayedAs !== null) return `replayed as ${replayedAs}`;
  return resumedAt === null ? "" : "resumed";
}

function tookText({ startedAt, finishedAt }: RunSummary): string {
  return startedAt && finishedAt ? formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)) : "";
}
