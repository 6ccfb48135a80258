import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { listsTriggers, urlAnswer } from "./trigger-answers.ts";

export function registerTriggersUrl(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("url", "Print the URL to give to a sender, with its token", [
      "signalbox triggers url new-signup",
      'curl -d @body.json -H "content-type: application/json" "$(signalbox triggers url billing)"',
    ])
    .argument("<slug-or-endpoint>", "A trigger or an endpoint")
    .action(runner.action(showUrl));
}

async function showUrl(context: CommandContext, slugOrEndpoint: string): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    path: "/url",
    query: { for: slugOrEndpoint },
    answer: urlAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({ document, text: () => `${document.url}\n` });
}
