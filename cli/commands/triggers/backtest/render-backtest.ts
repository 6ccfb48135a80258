import type { Backtest, FiringChange } from "../../../../server/contract/backtest.ts";
import { skipTexts, stopTexts } from "../../../../server/shared/deliveries/describe-backtest.ts";
import { formatCount, formatNumber, formatUtcMinute } from "../../../../server/shared/format.ts";
import { plainLine } from "../../../terminal/plain-text.ts";
import { renderReason } from "../../../terminal/status-marks.ts";
import { renderTable } from "../../../terminal/table.ts";
import type { Paint } from "../../../terminal/terminal.ts";

export type LinkedBacktest = ReturnType<typeof withLinks>;

/** Adds the page of each delivery. `url`: the address of the service; `null` if none is known. */
export function withLinks(result: Backtest, url: string | null) {
  const link = <T extends { deliveryId: string }>(one: T) => ({
    ...one,
    url: url === null ? null : `${url}/deliveries/${one.deliveryId}`,
  });
  return {
    ...result,
    triggers: result.triggers.map((trigger) => ({
      ...trigger,
      changes: trigger.changes.map(link),
      failures: trigger.failures.map(link),
    })),
  };
}

/** The differences of each trigger, newest first, then the deliveries without a comparison. */
export function renderBacktest(result: LinkedBacktest, { paint }: { paint: Paint }): string {
  const blocks = [
    renderSummary(result, paint),
    ...result.triggers.map((trigger) => renderTrigger(trigger, paint)),
    renderNotCompared(result),
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

/** More are in the document of --json. */
const maxShown = 20;

type LinkedTrigger = LinkedBacktest["triggers"][number];

function renderSummary({ compared, version, since, gained, lost, failed }: LinkedBacktest, paint: Paint): string {
  const what = `${formatCount(compared, "delivery", "deliveries")} since ${formatUtcMinute(Date.parse(since))}`;
  if (compared === 0) return `No delivery to compare since ${formatUtcMinute(Date.parse(since))}.\n`;
  if (gained + lost + failed === 0)
    return `${paint("good", "✓")} Build ${version} fires the same triggers for ${what}.\n`;
  const failures = failed === 0 ? "" : `, and ${formatCount(failed, "run")} would fail`;
  return `${paint("warn", "△")} Build ${version} changes the firings of ${what}: ${amount(gained, lost)}${failures}.\n`;
}

function amount(gained: number, lost: number): string {
  return `+${formatNumber(gained)} −${formatNumber(lost)}`;
}

function renderTrigger(trigger: LinkedTrigger, paint: Paint): string {
  const { target, changes, failures, gained, lost, failed } = trigger;
  const counts = [
    gained + lost > 0 ? amount(gained, lost) : null,
    failed > 0 ? `${formatCount(failed, "run")} would fail` : null,
  ];
  const title = `${paint("strong", trigger.trigger)}${target ? ` → ${target.kind} ${target.slug}` : ""}  ${counts.filter(Boolean).join(", ")}\n`;
  const shown = changes.slice(0, maxShown);
  const rows = shown.map((change) => [
    `  ${change.change === "gained" ? paint("good", "+") : paint("bad", "−")}`,
    change.url ?? change.deliveryId,
    formatUtcMinute(Date.parse(change.receivedAt)),
    whyText(change, paint),
  ]);
  const table =
    rows.length === 0 ? "" : renderTable({ headings: ["  ", "DELIVERY", "RECEIVED", "REASON"], rows, paint });
  const more = gained + lost - shown.length;
  return `${title}${table}${more > 0 ? `  … and ${formatNumber(more)} more. --json lists up to 100.\n` : ""}${renderFailures(failures, failed, paint)}`;
}

/** `then filter mismatch, /amount: expected ≥ 1000, got 12`. */
function whyText({ change, outcome, reasons }: FiringChange, paint: Paint): string {
  const [first, ...others] = reasons;
  const when = change === "gained" ? "then" : "now";
  const reason = first ? `, ${outcome === "rejected" ? plainLine(first.message) : renderReason(first, paint)}` : "";
  return `${when} ${stopTexts[outcome]}${reason}${others.length > 0 ? ` (and ${others.length} more)` : ""}`;
}

function renderFailures(failures: LinkedTrigger["failures"], failed: number, paint: Paint): string {
  const shown = failures.slice(0, maxShown);
  const lines = shown.flatMap(({ deliveryId, url, name, message, errors }) => [
    `  ${paint("bad", "✗")} ${url ?? deliveryId}  ${name}: ${plainLine(message)}\n`,
    ...errors.map(
      ({ pointer, message: issue }) => `      ${plainLine(pointer || "the whole input")}: ${plainLine(issue)}\n`,
    ),
  ]);
  const more = failed - shown.length;
  return lines.join("") + (more > 0 ? `  … and ${formatCount(more, "more failure")}. --json lists up to 100.\n` : "");
}

function renderNotCompared({ notCompared }: Pick<Backtest, "notCompared">): string {
  if (notCompared.length === 0) return "";
  const lines = notCompared.map(
    ({ reason, code, deliveries, example }) =>
      `  ${formatCount(deliveries, "delivery", "deliveries")}: ${skipTexts[reason]}${code === null ? "" : ` (${code})`}, e.g. ${example}\n`,
  );
  return `Not compared:\n${lines.join("")}`;
}
