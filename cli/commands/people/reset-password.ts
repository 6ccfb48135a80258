import { apiPath } from "../../api/api-client.ts";
import { didYouMean } from "../../../server/domain/did-you-mean.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { peopleAnswer } from "./list.ts";
import { invitationAnswer } from "./setup-link.ts";

export function registerPeopleResetPassword(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand(
      "reset-password",
      "a link by which somebody who is here already sets a new password, once, within an hour",
      ["signalbox people reset-password ada@example.com"],
    )
    .argument("<email>", "e-mail address or id of the person; `signalbox people list` shows them")
    .action(runner.action(resetPassword));
}

/** The link alone is on stdout. */
async function resetPassword(context: CommandContext, who: string): Promise<void> {
  const api = await context.api();
  const people = (await api.request({ path: "/people", answer: peopleAnswer })).data;
  const person = people.find(({ id, email }) => id === who || email === who.trim().toLowerCase());
  if (!person)
    throw new Failure(
      `Nobody here has the address ${who}.${didYouMean(
        who,
        people.map(({ email }) => email),
      )} \`signalbox people list\` shows who has an account.`,
      { code: "not_found" },
    );
  const document = await api.request({
    method: "POST",
    path: apiPath`/people/${person.id}/reset-link`,
    answer: invitationAnswer,
  });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.tell(
      `Pass it on to ${person.email} yourself: whoever opens it first, within an hour, sets the password, and all sessions of the account end. Links made for it before have ended.`,
    );
}
