import { z } from "zod";
import {
  type DescribedDelivery,
  describedDeliverySchema,
  unlistedVerdictsSchema,
  verdictSchema,
} from "../../../server/contract/delivery.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { formatBytes, formatDuration, formatRelativeTime } from "../../../server/shared/format.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";
import { deliveryMarks, renderMark, renderVerdicts } from "../../terminal/status-marks.ts";
import { renderPairs } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { aboutDelivery, findsDeliveries } from "./list.ts";

export function registerDeliveriesGet(deliveries: CliCommand, runner: CommandRunner): void {
  deliveries
    .subcommand("get", "Show one delivery: its response, its verdicts and its body", [
      "signalbox deliveries get dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the delivery")
    .option("--reveal", "Show the recorded values of sensitive fields, with the headers. The audit log records it")
    .action(runner.action(getDelivery));
}

async function getDelivery(
  context: CommandContext,
  id: string,
  { reveal = false }: { reveal?: boolean },
): Promise<void> {
  const api = await context.api();
  const document = await aboutDelivery(api, id, () =>
    api.request({
      ...(reveal ? { method: "POST", path: apiPath`/deliveries/${id}/reveal` } : { path: apiPath`/deliveries/${id}` }),
      answer: describedDeliverySchema,
      notFoundFix: findsDeliveries,
    }),
  );
  context.print({
    document,
    text: () => renderDelivery(document, { paint: context.terminal.out.paint, now: context.now(), hasHeaders: reveal }),
  });
  if (!context.isJson && document.isMasked)
    context.notify(`Sensitive values are masked. \`signalbox deliveries get ${id} --reveal\` shows them.`);
  if (!context.isJson && document.outcome === "held")
    context.notify(`Held. \`signalbox deliveries release ${id}\` evaluates it by the current triggers.`);
}

function renderDelivery(
  delivery: DescribedDelivery,
  { paint, now, hasHeaders }: { paint: Paint; now: number; hasHeaders: boolean },
): string {
  const { outcome, id, method, endpoint, responseStatus, receivedAt, problem, headers, verdicts } = delivery;
  const blocks = [
    `${renderMark(deliveryMarks[outcome], paint)}  ${paint("strong", id)}\n`,
    renderPairs(
      [
        ["request", `${plainLine(method, 20)} /triggers/${plainLine(endpoint, 256)}`],
        ["response", `${responseStatus} after ${formatDuration(delivery.durationMs)}`],
        ["received", `${formatRelativeTime(receivedAt, now)}  ${paint("dim", receivedAt)}`],
        ["released", headers[ownHeaders.releasedAt] ?? null],
        ["redelivery of", delivery.redeliveryOf],
        ["body", formatBytes(delivery.bodyBytes)],
        // Otherwise it is the problem.
        ["decision", verdicts.length > 0 || problem === null ? plainLine(delivery.decision, 300) || null : null],
        ["problem", problem && plainLine(`${problem.title}. ${problem.detail}`, 300)],
      ],
      paint,
    ),
    verdicts.length > 0 ? renderVerdicts(verdicts, paint) : "",
    hasHeaders ? renderHeaders(headers, paint) : "",
    renderBody(delivery, paint),
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

function renderHeaders(headers: DescribedDelivery["headers"], paint: Paint): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${plainText(`${name}: ${value}`)}`);
  return `${paint("dim", "headers")}\n${lines.join("\n")}\n`;
}

function renderBody({ body, json }: DescribedDelivery, paint: Paint): string {
  if (body === null) return "";
  const text = json === null ? Buffer.from(body, "base64").toString("utf8") : JSON.stringify(json, null, 2);
  const lines = text.split("\n").map((line) => `  ${plainText(line)}`);
  return `${paint("dim", "body")}\n${lines.join("\n")}\n`;
}

const currentVerdicts = z.object({
  verdicts: z.array(verdictSchema),
  unlistedVerdicts: z.array(unlistedVerdictsSchema),
});

export function registerDeliveriesExplain(deliveries: CliCommand, runner: CommandRunner): void {
  deliveries
    .subcommand("explain", "Evaluate a delivery by the current triggers, without starting runs", [
      "signalbox deliveries explain dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the delivery")
    .option("--trigger <slug>", "Only this trigger on its endpoint")
    .action(runner.action(explainDelivery));
}

/** Exit code 0 whenever there are verdicts: a mismatch is a result, not a failure. */
async function explainDelivery(context: CommandContext, id: string, { trigger }: { trigger?: string }): Promise<void> {
  const api = await context.api();
  const document = await aboutDelivery(api, id, () =>
    api.request({
      path: apiPath`/deliveries/${id}/verdicts`,
      query: { trigger },
      answer: currentVerdicts,
      notFoundFix: findsDeliveries,
    }),
  );
  const unlisted = document.unlistedVerdicts.reduce((sum, { count }) => sum + count, 0);
  context.print({ document, text: () => renderVerdicts(document.verdicts, context.terminal.out.paint) });
  if (unlisted > 0 && !context.isJson)
    context.notify(`${unlisted} more triggers do not match. --trigger evaluates one of them.`);
}
