import { InvalidArgumentError, Option } from "commander";
import {
  type DeliveryOutcome,
  deliveryOutcomeSchema,
  describedSummarySchema,
  type DescribedSummary,
} from "../../../server/contract/delivery.ts";
import { pageSchema, type Page } from "../../../server/contract/list.ts";
import { formatDuration, formatRelativeTime } from "../../../server/domain/format.ts";
import { type ApiClient, withSuggestedId, readRows, type RowFilter } from "../../api/api-client.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { deliveryMarks, renderMark } from "../../terminal/status-marks.ts";
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
  startOfPeriod,
} from "../options.ts";

const deliveriesAnswer = pageSchema(describedSummarySchema);

export const findsDeliveries = "Run `signalbox deliveries list` to see recent deliveries.";

export function registerDeliveriesList(deliveries: CliCommand, runner: CommandRunner): void {
  deliveries
    .subcommand("list", "List deliveries, newest first", [
      "signalbox deliveries list --endpoint billing --since 24h",
      "signalbox deliveries list --outcome held --json",
    ])
    .option("--endpoint <endpoint>", "Only deliveries to this endpoint")
    .addOption(new Option("--outcome <outcome>", "Only this outcome").choices(deliveryOutcomeSchema.options))
    .option("--status <code>", "Only this status of the response", parseStatus)
    .option("--trigger <slug>", "Only deliveries that this trigger evaluated")
    .option("--text <text>", "Only deliveries with this text in the body")
    .option(
      "--since <duration>",
      "Only deliveries of this last period, e.g. 24h, or since an ISO 8601 time",
      parseSince,
    )
    .option(...cursorOption)
    .option(...limitOption("deliveries"))
    .action(runner.action(listDeliveries));
}

interface Options extends PageOptions {
  endpoint?: string;
  outcome?: DeliveryOutcome;
  status?: number;
  trigger?: string;
  text?: string;
  since?: Since;
}

function parseStatus(value: string): number {
  const status = /^\d{3}$/.test(value) ? Number(value) : Number.NaN;
  if (status >= 100 && status <= 599) return status;
  throw new InvalidArgumentError("The status must be an HTTP status, e.g. 422.");
}

async function listDeliveries(context: CommandContext, { since, ...filter }: Options): Promise<void> {
  const document = await readDeliveries(await context.api(), {
    ...filter,
    since: startOfPeriod(since, context.now()),
  });
  context.print({
    document,
    text: () => renderDeliveries(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.notify("No delivery matches.");
  notifyOlder(context, "deliveries", document);
}

/** The newest deliveries of a filter, up to the limit, from several pages if necessary. */
export function readDeliveries(api: ApiClient, filter: RowFilter): Promise<Page<DescribedSummary>> {
  return readRows(api, { path: "/deliveries", answer: deliveriesAnswer }, filter);
}

/** A request about a delivery. If the id is unknown, the failure suggests a similar one. */
export function aboutDelivery<T>(api: ApiClient, id: string, request: () => Promise<T>): Promise<T> {
  return withSuggestedId({
    id,
    request,
    knownIds: async () => (await readDeliveries(api, { limit: 100 })).data.map((delivery) => delivery.id),
  });
}

function renderDeliveries(deliveries: readonly DescribedSummary[], p: { paint: Paint; now: number }): string {
  if (deliveries.length === 0) return "";
  return renderTable({
    headings: ["OUTCOME", "STATUS", "DELIVERY", "ENDPOINT", "RECEIVED", "TOOK", "DECISION"],
    rows: deliveries.map((delivery) => [
      renderMark(deliveryMarks[delivery.outcome], p.paint),
      String(delivery.responseStatus),
      delivery.id,
      plainLine(delivery.endpoint, 40),
      formatRelativeTime(delivery.receivedAt, p.now),
      formatDuration(delivery.durationMs),
      plainLine(delivery.decision, 160),
    ]),
    paint: p.paint,
  });
}
