import { Option } from "commander";
import { z } from "zod";
import {
  invitationSchema,
  type Person,
  personSchema,
  type Role,
  roleSchema,
} from "../../server/contract/access/person.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { formatRelativeTime } from "../../server/shared/format.ts";
import { apiPath } from "../../server/contract/api-request.ts";
import { Failure } from "../terminal/failure.ts";
import { plainLine } from "../terminal/plain-text.ts";
import { renderTable } from "../terminal/table.ts";
import type { Paint } from "../terminal/terminal.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";

export const peopleAnswer = z.object({ data: z.array(personSchema) });

export const invitationAnswer = invitationSchema.extend({ url: z.string() });

export function registerPeopleInvite(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("invite", "Print an invitation link for one person, valid for seven days", [
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
    context.notify(
      `${document.id}: the first person to open the link within seven days gets an account with the role ${role}.`,
    );
}

export function registerPeopleSetupLink(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand(
      "setup-link",
      "Print a link to create an admin account, valid for one hour. Works only on the machine of the service",
      ["signalbox people setup-link"],
    )
    .action(runner.action(createSetupLink));
}

/** Only the link is on stdout. */
async function createSetupLink(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ method: "POST", path: "/setup-links", answer: invitationAnswer });
  context.print({ document, text: () => `${document.url}\n` });
  if (!context.isJson)
    context.notify(
      "Open the link within an hour. The first person to open it becomes an admin. Earlier links are no longer valid.",
    );
}

export function registerPeopleList(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("list", "List the people who have an account", ["signalbox people list"])
    .action(runner.action(listPeople));
}

async function listPeople(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ path: "/people", answer: peopleAnswer });
  context.print({
    document,
    text: () => renderPeople(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (!context.isJson && document.data.length === 0)
    context.notify("There are no accounts yet. `signalbox people setup-link` creates a link for the first admin.");
}

function renderPeople(people: readonly Person[], { paint, now }: { paint: Paint; now: number }): string {
  if (people.length === 0) return "";
  return renderTable({
    headings: ["ID", "NAME", "EMAIL", "ROLE", "LAST SEEN"],
    rows: people.map(({ id, name, email, role, lastSeenAt }) => [
      id,
      plainLine(name, 30),
      plainLine(email, 40),
      role,
      lastSeenAt ? formatRelativeTime(lastSeenAt, now) : "signed out",
    ]),
    paint,
  });
}

export function registerPeopleResetPassword(people: CliCommand, runner: CommandRunner): void {
  people
    .subcommand("reset-password", "Print a link to set a new password for a person, valid for one hour", [
      "signalbox people reset-password ada@example.com",
    ])
    .argument("<email>", "Email address or id of the person, see `signalbox people list`")
    .action(runner.action(resetPassword));
}

/** Only the link is on stdout. */
async function resetPassword(context: CommandContext, emailOrId: string): Promise<void> {
  const api = await context.api();
  const people = (await api.request({ path: "/people", answer: peopleAnswer })).data;
  const person = people.find(({ id, email }) => id === emailOrId || email === emailOrId.trim().toLowerCase());
  if (!person)
    throw new Failure(
      `No account has the email address or id ${emailOrId}.${didYouMean(
        emailOrId,
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
