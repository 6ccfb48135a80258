import { keySchema } from "../../../server/contract/key.ts";
import { apiPath } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { withSuggestedId } from "../suggest-id.ts";
import { keysAnswer } from "./key-answers.ts";

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
