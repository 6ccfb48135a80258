import { Option } from "commander";
import { type RunStatus, runStatusSchema } from "../../../server/contract/run.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseAgo, parseDollars, parseLimit, parseTokens } from "../parse-options.ts";
import { readRuns } from "./read-runs.ts";
import { renderRuns } from "./render-runs.ts";

export function registerRunsList(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("list", "List runs, newest first", [
      "signalbox runs list --status failed --since 24h",
      "signalbox runs list --target triage --min-cost 0.5",
    ])
    .option("--trigger <slug>", "Only runs of this trigger")
    .option("--target <slug>", "Only runs of this workflow or agent")
    .addOption(new Option("--status <status>", "Only runs with this status").choices(runStatusSchema.options))
    .option("--since <duration>", "Only runs of this last period, e.g. 24h", parseAgo)
    .option("--min-cost <dollars>", "Only agent runs that cost at least this much, in US dollars", parseDollars)
    .option("--min-tokens <number>", "Only agent runs that used at least this many tokens", parseTokens)
    .option("--limit <number>", "Maximum number of runs, 1 to 100", parseLimit, 20)
    .action(runner.action(listRuns));
}

interface Options {
  trigger?: string;
  target?: string;
  status?: RunStatus;
  /** Milliseconds. */
  since?: number;
  minCost?: number;
  minTokens?: number;
  limit: number;
}

async function listRuns(context: CommandContext, { since, minCost, ...filter }: Options): Promise<void> {
  const api = await context.api();
  const document = await readRuns(api, {
    ...filter,
    minCostUsd: minCost,
    since: since === undefined ? undefined : new Date(context.now() - since).toISOString(),
  });
  context.print({
    document,
    text: () => renderRuns(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.notify("No run matches.");
  if (document.nextCursor !== null)
    context.notify(
      filter.limit < 100
        ? "There may be older runs. --limit shows up to 100."
        : "There may be older runs. The REST API and the app list all of them.",
    );
}
