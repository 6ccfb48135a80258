import { type DriftReport, driftReportSchema } from "../../../server/contract/drift.ts";
import { formatCount, formatUtcMinute } from "../../../server/shared/format.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseSince, type Since, startOfPeriod } from "../options.ts";

export function registerTriggersDrift(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("drift", "List payload changes: new types, missing fields, bodies that stopped matching", [
      "signalbox triggers drift",
      "signalbox triggers drift billing --since 30d",
    ])
    .argument("[endpoint]", "Only the deliveries to this endpoint. Default: every endpoint")
    .option("--since <duration>", "Only changes of this last period. Default: 7d", parseSince)
    .action(runner.action(listDrift));
}

async function listDrift(
  context: CommandContext,
  endpoint: string | undefined,
  { since }: { since?: Since },
): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    path: "/drift",
    query: { endpoint, since: startOfPeriod(since, context.now()) },
    answer: driftReportSchema,
  });
  context.print({ document, text: () => renderDrift(document, context.terminal.out.paint) });
  if (!context.isJson) context.notify(summaryOf(document));
}

function renderDrift({ data }: DriftReport, paint: Paint): string {
  if (data.length === 0) return "";
  return renderTable({
    headings: ["ENDPOINT", "KIND", "SINCE", "CHANGE"],
    rows: data.map(({ endpoint, kind, since, change, text }) => [
      endpoint,
      kind ?? "–",
      formatUtcMinute(Date.parse(since)),
      change === "stopped_matching" ? paint("warn", text) : text,
    ]),
    paint,
  });
}

function summaryOf({ data, compared }: DriftReport): string {
  const deliveries = compared.reduce((sum, one) => sum + one.deliveries, 0);
  if (deliveries === 0)
    return "No deliveries have been compared yet. Changes need at least 20 deliveries of a kind before them.";
  const changes = data.length === 0 ? "No changes" : formatCount(data.length, "change");
  const later = compared.every(({ isComplete }) => isComplete)
    ? ""
    : " There was no time to compare all new deliveries. Run the command again.";
  return `${changes} in ${formatCount(deliveries, "compared delivery", "compared deliveries")}.${later}`;
}
