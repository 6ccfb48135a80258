import { apiPath } from "../../api/api-client.ts";
import { didYouMean } from "../../../server/domain/did-you-mean.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { peopleAnswer } from "./list.ts";
import { invitationAnswer } from "./setup-link.ts";

export function registerPeopleResetPassword(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("reset-password", "Print a link with which a person sets a new password, once, within an hour", [
      "signalbox people reset-password ada@example.com",
    ])
    .argument("<email>", "Email address or id of the person, see `signalbox people list`")
    .action(runner.action(resetPassword));
}

/** Only the link is on stdout. */
async function resetPassword(context: CommandContext, who: string): Promise<void> {
  const api = await context.api();
  const people = (await api.request({ path: "/people", answer: peopleAnswer })).data;
  const person = people.find(({ id, email }) => id === who || email === who.trim().toLowerCase());
  if (!person)
    throw new Failure(
      `No account has the address ${who}.${didYouMean(
        who,
        people.map(({ email }) => email),
      )} Run \`signalbox people list\` to see all accounts.`,
      { code: "not_found" },
    );
  const document = await api.request({
    method: "POST",
    path: apiPath`/people/${person.id}/reset-link`,
    answer: invitationAnswer,
  });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.notify(
      `Send the link to ${person.email} yourself. The first person to open it within an hour sets the password, and all sessions of the account end. Earlier links are no longer valid.`,
    );
}
