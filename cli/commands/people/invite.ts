import { Option } from "commander";
import { type Role, roleSchema } from "../../../server/contract/person.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { invitationAnswer } from "./setup-link.ts";

export function registerPeopleInvite(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("invite", "Print a link with which one person joins, once, within seven days", [
      "signalbox people invite --role operator --note Ada",
    ])
    .addOption(
      new Option(
        "--role <role>",
        "Role: viewer reads, operator also starts and stops runs, admin also manages keys and people",
      )
        .choices(roleSchema.options)
        .default("viewer"),
    )
    .option("--note <note>", "Note, e.g. the name of the person")
    .action(runner.action(invite));
}

/** Only the link is on stdout. */
async function invite(context: CommandContext, { role, note = "" }: { role: Role; note?: string }): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    method: "POST",
    path: "/invitations",
    body: { role, note },
    answer: invitationAnswer,
  });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.notify(`${document.id}: the first person to open the link within seven days joins as ${role}.`);
}
