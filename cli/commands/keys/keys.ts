import { type Key, keySchema } from "../../../server/contract/access/key.ts";
import { expiresSoon, keyState } from "../../../server/shared/access/keys.ts";
import { formatRelativeTime } from "../../../server/shared/format.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { withSuggestedId } from "../../api/api-client.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseOverlap } from "../options.ts";
import { keysAnswer, rotatedKeyAnswer } from "./create.ts";

const dayMs = 24 * 60 * 60 * 1000;

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

function renderKeys(keys: readonly Key[], options: { paint: Paint; now: number }): string {
  if (keys.length === 0) return "";
  return renderTable({
    headings: ["STATE", "ID", "KIND", "NAME", "KEY", "ENDPOINTS", "LAST USED", "EXPIRES"],
    rows: keys.map((key) => [
      stateText(key, options),
      key.id,
      key.kind,
      plainLine(key.name, 30),
      key.hint,
      endpointsText(key),
      key.lastUsedAt ? formatRelativeTime(key.lastUsedAt, options.now) : "never",
      key.expiresAt ? formatRelativeTime(key.expiresAt, options.now) : "never",
    ]),
    paint: options.paint,
  });
}

function stateText(key: Key, { paint, now }: { paint: Paint; now: number }): string {
  const state = keyState(key, now);
  if (state === "revoked") return `${paint("bad", "⊘")} revoked`;
  if (state === "expired") return `${paint("warn", "⧖")} expired`;
  if (key.replacedBy) return `${paint("warn", "⧖")} replaced`;
  return expiresSoon(key, now) ? `${paint("warn", "⧖")} expiring` : `${paint("good", "✓")} valid`;
}

function endpointsText(key: Key): string {
  return key.kind === "api" ? `API (${key.scope})` : (key.endpoints?.join(", ") ?? "all endpoints");
}

export function registerKeysRotate(keys: CliCommand, runner: CommandRunner): void {
  keys
    .subcommand("rotate", "Replace a key. The old key expires after an overlap", [
      "signalbox keys rotate key_01K9ZR7M3QD4V8XN2T5B6C7E8F --overlap 7d",
    ])
    .argument("<id>", "Id of the key, see `signalbox keys list`")
    .option(
      "--overlap <time>",
      "Time until the old key expires, e.g. 1h or 7d, at most 90d. 0 revokes it at once (default: 24h)",
      parseOverlap,
    )
    .action(runner.action(rotateKey));
}

/** Only the new key is on stdout, for use in a variable. */
async function rotateKey(
  context: CommandContext,
  id: string,
  { overlap = dayMs }: { overlap?: number },
): Promise<void> {
  const api = await context.api();
  const body = { overlapSeconds: Math.ceil(overlap / 1000) };
  const document = await withSuggestedId({
    id,
    request: () =>
      api.request({
        method: "POST",
        path: apiPath`/keys/${id}/rotate`,
        body,
        answer: rotatedKeyAnswer,
        notFoundFix: "Run `signalbox keys list` to see the keys.",
      }),
    knownIds: async () => (await api.request({ path: "/keys", answer: keysAnswer })).data.map((key) => key.id),
  });
  context.print({ document, text: () => `${document.key.secret}\n` });
  if (context.isJson) return;
  const { key, old } = document;
  const ends =
    overlap === 0 || old.expiresAt === null
      ? "is revoked"
      : `expires ${formatRelativeTime(old.expiresAt, context.now())}, at ${old.expiresAt}`;
  context.notify(
    `${key.id} replaces ${old.id}, which ${ends}. ${key.kind === "api" ? "Save it now: it is not shown again." : "`signalbox triggers url <slug>` shows it in a URL."}`,
  );
}

export function registerKeysRevoke(keys: CliCommand, runner: CommandRunner): void {
  keys
    .subcommand("revoke", "Revoke a key, at once and permanently", [
      "signalbox keys revoke key_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the key, see `signalbox keys list`")
    .action(runner.action(revokeKey));
}

async function revokeKey(context: CommandContext, id: string): Promise<void> {
  const api = await context.api();
  const document = await withSuggestedId({
    id,
    request: () =>
      api.request({
        method: "POST",
        path: apiPath`/keys/${id}/revoke`,
        answer: keySchema,
        notFoundFix: "Run `signalbox keys list` to see the keys.",
      }),
    knownIds: async () => (await api.request({ path: "/keys", answer: keysAnswer })).data.map((key) => key.id),
  });
  context.print({ document, text: () => `${document.id} is revoked.\n` });
}
