import type { Key } from "../../../server/contract/key.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderTable } from "../../terminal/table.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { keysAnswer } from "./key-answers.ts";
import { formatRelativeTime } from "../../../server/domain/format.ts";

export function registerKeysList(keys: CliCommand, runner: CommandRunner): void {
  keys
    .subcommand("list", "List webhook keys and API tokens, without their secrets", ["signalbox keys list"])
    .action(runner.action(listKeys));
}

async function listKeys(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ path: "/keys", answer: keysAnswer });
  context.print({
    document,
    text: () => renderKeys(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (!context.isJson && document.data.length === 0)
    context.notify(
      "There are no keys yet. `signalbox keys create` creates a webhook key. `signalbox start` creates the first one automatically.",
    );
  if (context.isJson) return;
  for (const { id, name, expiresAt } of document.data.filter((key) => expiresSoon(key, context.now()))) {
    context.notify(
      `${id} (${plainLine(name, 30)}) expires ${formatRelativeTime(expiresAt ?? "", context.now())}. Replace it: signalbox keys rotate ${id}`,
    );
  }
}

function renderKeys(keys: readonly Key[], p: { paint: Paint; now: number }): string {
  if (keys.length === 0) return "";
  return renderTable({
    headings: ["STATE", "ID", "KIND", "NAME", "KEY", "ENDPOINTS", "LAST USED", "EXPIRES"],
    rows: keys.map((key) => [
      stateText(key, p),
      key.id,
      key.kind,
      plainLine(key.name, 30),
      key.hint,
      opensText(key),
      key.lastUsedAt ? formatRelativeTime(key.lastUsedAt, p.now) : "never",
      key.expiresAt ? formatRelativeTime(key.expiresAt, p.now) : "never",
    ]),
    paint: p.paint,
  });
}

function stateText(key: Key, { paint, now }: { paint: Paint; now: number }): string {
  if (key.revokedAt) return `${paint("bad", "⊘")} revoked`;
  if (key.expiresAt && Date.parse(key.expiresAt) <= now) return `${paint("warn", "⧖")} expired`;
  if (key.replacedBy) return `${paint("warn", "⧖")} replaced`;
  return expiresSoon(key, now) ? `${paint("warn", "⧖")} expiring` : `${paint("good", "✓")} valid`;
}

const soonMs = 14 * 24 * 60 * 60 * 1000;

/** Valid, expires soon, and was not rotated. */
function expiresSoon({ expiresAt, revokedAt, replacedBy }: Key, now: number): boolean {
  if (expiresAt === null || revokedAt !== null || replacedBy !== null) return false;
  const leftMs = Date.parse(expiresAt) - now;
  return leftMs > 0 && leftMs <= soonMs;
}

function opensText(key: Key): string {
  return key.kind === "api" ? `API (${key.scope})` : (key.endpoints?.join(", ") ?? "all endpoints");
}
