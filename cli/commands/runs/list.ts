import { Option } from "commander";
import { type RunStatus, runStatusSchema } from "../../../server/contract/run.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseAgo, parseDollars, parseLimit, parseTokens } from "../parse-options.ts";
import { readRuns } from "./read-runs.ts";
import { renderRuns } from "./render-runs.ts";

export function registerRunsList(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("list", "runs, newest first", [
      "signalbox runs list --status failed --since 24h",
      "signalbox runs list --target triage --min-cost 0.5",
    ])
    .option("--trigger <slug>", "only those of this trigger")
    .option("--target <slug>", "only those of this workflow or agent")
    .addOption(new Option("--status <status>", "only those in this state").choices(runStatusSchema.options))
    .option("--since <duration>", "only those of this last time, e.g. 24h", parseAgo)
    .option("--min-cost <dollars>", "only those of agents that cost so much, or more", parseDollars)
    .option("--min-tokens <number>", "only those of agents that used so many tokens, or more", parseTokens)
    .option("--limit <number>", "at most so many, 1 to 100", parseLimit, 20)
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
  if (document.data.length === 0) context.tell("No run is like that.");
  if (document.nextCursor !== null)
    context.tell(
      filter.limit < 100
        ? "There may be older ones: --limit shows up to 100."
        : "There may be older ones: the REST API and the app page through all.",
    );
}
