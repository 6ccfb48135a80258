import { invitationSchema } from "../../../server/contract/person.ts";
import { z } from "zod";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";

export const invitationAnswer = invitationSchema.extend({ url: z.string() });

export function registerPeopleSetupLink(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand(
      "setup-link",
      "Print a link with which one admin joins, once, within an hour. Only on the machine itself",
      ["signalbox people setup-link"],
    )
    .action(runner.action(makeSetupLink));
}

/** Only the link is on stdout. */
async function makeSetupLink(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ method: "POST", path: "/setup-links", answer: invitationAnswer });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.notify(
      "Open the link within an hour. The first person to open it becomes an admin. Earlier links are no longer valid.",
    );
}
