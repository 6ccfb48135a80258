import {
  describedDeliverySchema,
  type ReleaseBatch,
  releaseBatchSchema,
  type ReleasedDelivery,
} from "../../../server/contract/delivery.ts";
import { heldFilterSchema } from "../../../server/contract/filters.ts";
import { readPages } from "../../../server/contract/list.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { usageFailure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { readFilterOptions, withFilterOptions } from "../filter-options.ts";
import { notifyIfIdle } from "../runs/read-runs.ts";
import { aboutDelivery, findsDeliveries } from "./list.ts";

export function registerDeliveriesRedeliver(deliveries: CliCommand, runner: CommandRunner): void {
  deliveries
    .subcommand("redeliver", "Redeliver a delivery, byte for byte, as a new delivery with new runs", [
      "signalbox deliveries redeliver dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the delivery")
    .option("--trigger <slug>", "Only to this trigger. Default: to all triggers on its endpoint")
    .action(runner.action(redeliver));
}

/** Only the id of the new delivery is on stdout, for the next command. */
async function redeliver(context: CommandContext, id: string, { trigger }: { trigger?: string }): Promise<void> {
  const api = await context.api();
  const document = await aboutDelivery(api, id, () =>
    api.request({
      method: "POST",
      path: apiPath`/deliveries/${id}/redeliver`,
      body: trigger === undefined ? {} : { trigger },
      answer: describedDeliverySchema,
      notFoundFix: findsDeliveries,
    }),
  );
  context.print({ document, text: () => `${document.id}\n` });
  if (context.isJson) return;
  const runs = document.verdicts.filter(({ runId }) => runId !== null).length;
  if (runs > 0) {
    context.notify(`Redelivered ${id}: ${formatCount(runs, "run")} started.`);
    notifyIfIdle(context);
  } else {
    context.notify(`No run started: ${plainLine(document.decision, 200)}`);
    context.notify(`\`signalbox deliveries explain ${document.id}\` shows each verdict.`);
  }
}

export function registerDeliveriesRelease(deliveries: CliCommand, runner: CommandRunner): void {
  const command = deliveries
    .subcommand("release", "Evaluate held deliveries again, and start the runs of those that match", [
      "signalbox deliveries release dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
      "signalbox deliveries release --endpoint billing --since 7d --dry-run",
      "signalbox deliveries release --all",
    ])
    .argument("[ids...]", "Ids of deliveries");
  withFilterOptions(command, heldFilterSchema)
    .option("--all", "All held deliveries")
    .option("--dry-run", "Only show what would start. Nothing is written")
    .action(runner.action(release));
}

/** With the fields of the filter. */
interface ReleaseOptions {
  all?: boolean;
  dryRun?: boolean;
}

/**
 * Releases batch by batch. An interrupted command can be repeated: each delivery is released once. Exit code 1 if a
 * delivery failed; one that stays held is a result, not a failure.
 */
async function release(context: CommandContext, ids: string[], options: ReleaseOptions): Promise<number> {
  const { all = false, dryRun = false, ...fields } = options;
  const now = context.now();
  const filter = readFilterOptions(fields, heldFilterSchema, now);
  if (ids.length > 0 === (all || Object.keys(filter).length > 0))
    throw usageFailure("Name deliveries, or select them with --endpoint, --since, --until or --all.");
  const api = await context.api();
  const data: ReleasedDelivery[] = [];
  const batches =
    ids.length > 0
      ? batchesOfIds(api, ids, dryRun)
      : // Later deliveries are evaluated by the current triggers anyway.
        batchesOfFilter(api, { until: new Date(now).toISOString(), ...filter, dryRun });
  for await (const batch of batches) data.push(...batch.data);
  const count = (result: ReleasedDelivery["result"]) => data.filter((one) => one.result === result).length;
  const sums = {
    released: count("released"),
    alreadyReleased: count("already_released"),
    held: count("held"),
    failed: count("failed"),
  };
  context.print({
    document: { dryRun, ...sums, data },
    text: () => renderReleased(data, { paint: context.terminal.out.paint, isDryRun: dryRun }),
  });
  if (!context.isJson) {
    context.notify(data.length === 0 ? "No delivery is held." : describeSums(sums, dryRun));
    if (sums.released > 0 && !dryRun) notifyIfIdle(context);
  }
  return sums.failed > 0 ? 1 : 0;
}

const batchSize = 50;

async function* batchesOfIds(api: ApiClient, ids: readonly string[], dryRun: boolean): AsyncGenerator<ReleaseBatch> {
  for (let from = 0; from < ids.length; from += batchSize)
    yield await requestBatch(api, { ids: ids.slice(from, from + batchSize), dryRun });
}

async function* batchesOfFilter(
  api: ApiClient,
  filter: { until: string; dryRun: boolean },
): AsyncGenerator<ReleaseBatch> {
  yield* readPages((cursor) => requestBatch(api, { ...filter, cursor: cursor ?? undefined }));
}

function requestBatch(api: ApiClient, body: object): Promise<ReleaseBatch> {
  return api.request({ method: "POST", path: "/deliveries/release", body, answer: releaseBatchSchema });
}

function describeSums(
  sums: { released: number; alreadyReleased: number; held: number; failed: number },
  isDryRun: boolean,
): string {
  const parts = [
    `${formatCount(sums.released, "delivery", "deliveries")} ${isDryRun ? "would be released" : "released"}`,
    sums.alreadyReleased > 0 ? `${formatNumber(sums.alreadyReleased)} released before` : "",
    sums.held > 0 ? `${formatNumber(sums.held)} still held` : "",
    sums.failed > 0 ? `${formatNumber(sums.failed)} failed` : "",
  ];
  return `${parts.filter((part) => part !== "").join(", ")}.`;
}

const resultMarks = {
  released: { mark: "✓", label: "released", tone: "good" },
  already_released: { mark: "✓", label: "released before", tone: "dim" },
  held: { mark: "◫", label: "held", tone: "busy" },
  failed: { mark: "✗", label: "failed", tone: "bad" },
} as const;

/** Of very many, only the first are shown; the sums count all. */
const maxRows = 200;

function renderReleased(data: readonly ReleasedDelivery[], options: { paint: Paint; isDryRun: boolean }): string {
  const { paint, isDryRun } = options;
  if (data.length === 0) return "";
  const table = renderTable({
    headings: ["RESULT", "DELIVERY", "ENDPOINT", isDryRun ? "WOULD START" : "RUNS"],
    rows: data
      .slice(0, maxRows)
      .map(({ id, endpoint, result, runs, message }) => [
        renderMark(
          result === "released" && isDryRun ? { ...resultMarks.released, label: "matches" } : resultMarks[result],
          paint,
        ),
        id,
        plainLine(endpoint, 40),
        message === null
          ? runs.map(({ runId, target }) => runId ?? `${target.kind} ${target.slug}`).join(", ")
          : plainLine(message, 120),
      ]),
    paint,
  });
  return data.length > maxRows ? `${table}… and ${formatNumber(data.length - maxRows)} more\n` : table;
}
