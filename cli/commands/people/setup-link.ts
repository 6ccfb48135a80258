import { invitationSchema } from "../../../server/contract/person.ts";
import { z } from "zod";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";

export const invitationAnswer = invitationSchema.extend({ url: z.string() });

export function registerPeopleSetupLink(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("setup-link", "a link by which one admin joins, once, within an hour; on the machine itself only", [
      "signalbox people setup-link",
    ])
    .action(runner.action(makeSetupLink));
}

/** The link alone is on stdout. */
async function makeSetupLink(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ method: "POST", path: "/setup-links", answer: invitationAnswer });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.tell("Open it within an hour. Whoever opens it first becomes an admin; links made before it have ended.");
}
