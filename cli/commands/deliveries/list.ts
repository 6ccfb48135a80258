import { describedSummarySchema, type DescribedSummary } from "../../../server/contract/delivery.ts";
import { deliveryFilterSchema } from "../../../server/contract/filters.ts";
import { pageSchema, type Page } from "../../../server/contract/list.ts";
import { formatDuration, formatRelativeTime } from "../../../server/shared/format.ts";
import { type ApiClient, withSuggestedId, readRows, type RowFilter } from "../../api/api-client.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { deliveryMarks, renderMark } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { readFilterOptions, withFilterOptions } from "../filter-options.ts";
import { cursorOption, limitOption, notifyOlder, pageOf, type PageOptions } from "../options.ts";

const deliveriesAnswer = pageSchema(describedSummarySchema);

export const findsDeliveries = "Run `signalbox deliveries list` to see recent deliveries.";

export function registerDeliveriesList(deliveries: CliCommand, runner: CommandRunner): void {
  const command = deliveries.subcommand("list", "List deliveries, newest first", [
    "signalbox deliveries list --endpoint billing --since 24h",
    "signalbox deliveries list --outcome held --json",
  ]);
  withFilterOptions(command, deliveryFilterSchema)
    .option(...cursorOption)
    .option(...limitOption("deliveries"))
    .action(runner.action(listDeliveries));
}

async function listDeliveries(context: CommandContext, { cursor, limit, ...options }: PageOptions): Promise<void> {
  const filter = readFilterOptions(options, deliveryFilterSchema, context.now());
  const document = await readDeliveries(await context.api(), { ...filter, ...pageOf({ cursor, limit }) });
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

function renderDeliveries(deliveries: readonly DescribedSummary[], options: { paint: Paint; now: number }): string {
  if (deliveries.length === 0) return "";
  return renderTable({
    headings: ["OUTCOME", "STATUS", "DELIVERY", "ENDPOINT", "RECEIVED", "TOOK", "DECISION"],
    rows: deliveries.map((delivery) => [
      renderMark(deliveryMarks[delivery.outcome], options.paint),
      String(delivery.responseStatus),
      delivery.id,
      plainLine(delivery.endpoint, 40),
      formatRelativeTime(delivery.receivedAt, options.now),
      formatDuration(delivery.durationMs),
      plainLine(delivery.decision, 160),
    ]),
    paint: options.paint,
  });
}
