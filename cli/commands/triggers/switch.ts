import { z } from "zod";
import { disabledSchema } from "../../../server/contract/disabled.ts";
import { apiPath } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { listsTriggers } from "./trigger-answers.ts";

const switchedAnswer = z.object({ slug: z.string(), disabled: disabledSchema.nullable() });

export function registerTriggersSwitch(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("disable", "Disable a trigger: it starts no runs until you enable it", [
      'signalbox triggers disable new-signup --reason "the mail server is down"',
    ])
    .argument("<slug>", "A trigger")
    .option("--reason <words>", "Reason, shown in the verdicts")
    .action(runner.action(disable));
  triggers
    .subcommand("enable", "Enable a disabled trigger", ["signalbox triggers enable new-signup"])
    .argument("<slug>", "A trigger")
    .action(runner.action(enable));
}

async function disable(context: CommandContext, slug: string, { reason }: { reason?: string }): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    method: "POST",
    path: apiPath`/triggers/${slug}/disable`,
    body: reason === undefined ? {} : { reason },
    answer: switchedAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({
    document,
    text: () => `${slug} is disabled. \`signalbox triggers enable ${slug}\` enables it.\n`,
  });
}

async function enable(context: CommandContext, slug: string): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    method: "POST",
    path: apiPath`/triggers/${slug}/enable`,
    answer: switchedAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({ document, text: () => `${slug} is enabled.\n` });
}
