import { apiPath } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseOverlap } from "../parse-options.ts";
import { withSuggestedId } from "../suggest-id.ts";
import { keysAnswer, rotatedKeyAnswer } from "./key-answers.ts";
import { formatRelativeTime } from "../../../server/domain/format.ts";

const dayMs = 24 * 60 * 60 * 1000;

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
