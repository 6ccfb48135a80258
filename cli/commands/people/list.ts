import { z } from "zod";
import { type Person, personSchema } from "../../../server/contract/person.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderTable } from "../../terminal/table.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { formatRelativeTime } from "../../../server/domain/format.ts";

export const peopleAnswer = z.object({ data: z.array(personSchema) });

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

function renderPeople(people: readonly Person[], p: { paint: Paint; now: number }): string {
  if (people.length === 0) return "";
  return renderTable({
    headings: ["ID", "NAME", "EMAIL", "ROLE", "LAST SEEN"],
    rows: people.map(({ id, name, email, role, lastSeenAt }) => [
      id,
      plainLine(name, 30),
      plainLine(email, 40),
      role,
      lastSeenAt ? formatRelativeTime(lastSeenAt, p.now) : "signed out",
    ]),
    paint: p.paint,
  });
}
