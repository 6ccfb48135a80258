import { Option } from "commander";
import { concurrencyChoices } from "../../../server/contract/project/options.ts";
import { type FlowSimulation, flowSimulationSchema } from "../../../server/contract/flow-simulation.ts";
import { formatCount, formatDuration, formatNumber } from "../../../server/shared/format.ts";
import { describeWaitTimes } from "../../../server/shared/runs/describe-wait.ts";
import { usageFailure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderPairs, renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseConcurrency, parseDays } from "../options.ts";

interface SimulateOptions {
  workflow?: string;
  agent?: string;
  concurrency?: number;
  concurrencyPerKey?: number;
  onFailure?: "continue" | "block";
  days?: number;
}

export function registerFlowSimulate(flow: CliCommand, runner: CommandRunner): void {
  flow
    .subcommand("simulate", "Show how long recorded runs would wait with other limits. Executes nothing", [
      "signalbox flow simulate --workflow charge --concurrency-per-key 1 --days 7",
      "signalbox flow simulate --agent triage --concurrency 5",
    ])
    .addOption(new Option("--workflow <slug>", "Slug of the workflow").conflicts("agent"))
    .addOption(new Option("--agent <slug>", "Slug of the agent"))
    .option("--concurrency <number>", "Maximum number of concurrent runs", parseConcurrency)
    .option("--concurrency-per-key <number>", "Maximum number of concurrent runs with the same key", parseConcurrency)
    .addOption(
      new Option("--on-failure <choice>", "block: count the runs that a failed run of their key would block").choices(
        concurrencyChoices.onFailure.options,
      ),
    )
    .option("--days <number>", "Use the runs of the last days, at most 90. Default: 7", parseDays)
    .action(runner.action(simulate));
}

async function simulate(context: CommandContext, options: SimulateOptions): Promise<void> {
  const target = options.workflow ?? options.agent;
  if (target === undefined) throw usageFailure("The option --workflow <slug> or --agent <slug> is missing.");
  const { concurrency: limit, concurrencyPerKey: perKey, onFailure, days } = options;
  if (onFailure === "block" && perKey === undefined)
    throw usageFailure("The option --on-failure block needs --concurrency-per-key.");
  const api = await context.api();
  const document = await api.request({
    path: "/flow/simulation",
    query: {
      target,
      targetKind: options.workflow === undefined ? "agent" : "workflow",
      limit,
      perKey,
      onFailure,
      days,
    },
    answer: flowSimulationSchema,
  });
  context.print({ document, text: () => renderSimulation(document, context.terminal.out.paint) });
  if (context.isJson) return;
  if (limit === undefined && perKey === undefined)
    context.notify("No limit was tried. Add --concurrency or --concurrency-per-key.");
  if (document.runs === 0) context.notify("There are no recorded runs in this period.");
  if (document.isCapped) context.notify("Only the newest 100,000 runs were used.");
  if (perKey !== undefined && document.runsWithoutKey > 0)
    context.notify(`${formatCount(document.runsWithoutKey, "run")} without a key: limits per key do not apply.`);
}

function renderSimulation(simulation: FlowSimulation, paint: Paint): string {
  const { runs, delayed, maxConcurrent, waits, recordedWaits, busiestKeys, blockedKeys, blocks } = simulation;
  if (runs === 0) return "";
  const hasQueues = busiestKeys.some(({ maxQueued }) => maxQueued > 0);
  const parts = [
    renderPairs(
      [
        ["runs", formatNumber(runs)],
        ["delayed", formatNumber(delayed)],
        ["concurrent", `at most ${formatNumber(maxConcurrent)}`],
        ["waits", describeWaitTimes(waits)],
        ["recorded waits", describeWaitTimes(recordedWaits)],
        ["blocked keys", blockedKeys === 0 ? null : formatNumber(blockedKeys)],
      ],
      paint,
    ),
    busiestKeys.length === 0
      ? ""
      : renderTable({
          headings: ["KEY", "RUNS", "LONGEST WAIT", ...(hasQueues ? ["QUEUED AT MOST"] : [])],
          rows: busiestKeys.map((key) => [
            plainLine(key.key, 60),
            formatNumber(key.runs),
            formatDuration(key.maxWaitMs),
            ...(hasQueues ? [formatNumber(key.maxQueued)] : []),
          ]),
          paint,
        }),
    blocks.length === 0
      ? ""
      : renderTable({
          headings: ["BLOCKED KEY", "BY", "WOULD FAIL", "WAITING RUNS"],
          rows: blocks.map((block) => [
            plainLine(block.key, 60),
            block.runId,
            block.failedAt,
            formatNumber(block.runs),
          ]),
          paint,
        }),
  ];
  return parts.filter((text) => text !== "").join("\n");
}
