import { Option } from "commander";
import { z } from "zod";
import { type Alert, alertSchema, type AlertTest, alertTestSchema } from "../../server/contract/alert.ts";
import { pageSchema } from "../../server/contract/list.ts";
import { formatRelativeTime } from "../../server/shared/format.ts";
import { Failure } from "../terminal/failure.ts";
import { plainLine } from "../terminal/plain-text.ts";
import { renderTable } from "../terminal/table.ts";
import type { Paint } from "../terminal/terminal.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";
import { cursorOption, limitOption, notifyOlder, type PageOptions } from "./options.ts";

const alertsAnswer = pageSchema(alertSchema);
const testAnswer = z.object({ data: z.array(alertTestSchema) });

export function registerAlertsList(alerts: CliCommand, runner: CommandRunner): void {
  alerts
    .subcommand("list", "List alerts, newest first", ["signalbox alerts list --status active"])
    .addOption(new Option("--status <status>", "Only alerts with this status").choices(["active", "resolved"]))
    .option(...cursorOption)
    .option(...limitOption("alerts"))
    .action(runner.action(listAlerts));
}

async function listAlerts(context: CommandContext, query: PageOptions & { status?: string }): Promise<void> {
  const api = await context.api();
  const document = await api.request({ path: "/alerts", query: { ...query }, answer: alertsAnswer });
  context.print({
    document,
    text: () => renderAlerts(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0)
    context.notify("No alert matches. Signalbox opens alerts only if signalbox.config.ts has `alerts`.");
  notifyOlder(context, "alerts", document);
}

function renderAlerts(alerts: readonly Alert[], { paint, now }: { paint: Paint; now: number }): string {
  if (alerts.length === 0) return "";
  return renderTable({
    headings: ["STATUS", "OPENED", "ALERT", "SENT TO"],
    rows: alerts.map((alert) => [
      alert.status === "active" ? `${paint("bad", "!")} active` : `${paint("dim", "✓")} resolved`,
      formatRelativeTime(alert.openedAt, now),
      plainLine(alert.title, 100),
      sentText(alert),
    ]),
    paint,
  });
}

/** The newest message to each destination. */
function sentText({ messages }: Alert): string {
  const newest = new Map(messages.toReversed().map((message) => [message.destination, message]));
  return [...newest.values()]
    .map(({ destination, status, error }) => `${destination}: ${error === null ? status : `${status}, ${error}`}`)
    .join("; ");
}

export function registerAlertsTest(alerts: CliCommand, runner: CommandRunner): void {
  alerts
    .subcommand("test", "Send a test alert to each destination", ["signalbox alerts test"])
    .action(runner.action(testAlerts));
}

/** Fails if a destination did not accept the message. */
async function testAlerts(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ method: "POST", path: "/alerts/test", answer: testAnswer });
  context.print({ document, text: () => document.data.map(renderResult).join("") });
  const failed = document.data.filter(({ isSent }) => !isSent);
  if (failed.length > 0)
    throw new Failure(`The test alert was not sent to ${failed.map(({ destination }) => destination).join(" and ")}.`, {
      code: "alert_not_sent",
      fix: "Check the SIGNALBOX_ALERT_… variables of the service, and that its machine can reach the destination.",
    });
}

function renderResult({ destination, isSent, error }: AlertTest): string {
  return `${destination}: ${isSent ? "sent" : `failed, ${error ?? ""}`}\n`;
}
