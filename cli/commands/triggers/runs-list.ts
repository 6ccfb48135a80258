import { Option } from "commander";
import { type RunStatus, runStatusSchema } from "../../../server/contract/run.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { cursorOption, limitOption, notifyOlder, type PageOptions } from "../options.ts";
import { renderRuns } from "../runs/list.ts";
import { readRuns } from "../runs/read-runs.ts";
import { listsTriggers, triggersAnswer } from "./trigger-answers.ts";

export function registerTriggersRunsList(triggerRuns: CliCommand, runner: CommandRunner): void {
  triggerRuns
    .subcommand("list", "List the runs of a trigger, newest first", [
      "signalbox triggers runs list new-signup",
      "signalbox triggers runs list new-signup --status failed --limit 5",
    ])
    .argument("<slug>", "A trigger")
    .option("--workflow <slug>", "Only runs of this workflow")
    .addOption(new Option("--status <status>", "Only runs with this status").choices(runStatusSchema.options))
    .option(...cursorOption)
    .option(...limitOption("runs"))
    .action(runner.action(listTriggerRuns));
}

interface Options extends PageOptions {
  workflow?: string;
  status?: RunStatus;
}

async function listTriggerRuns(context: CommandContext, trigger: string, options: Options): Promise<void> {
  const api = await context.api();
  const { workflow, ...filter } = options;
  const document = await readRuns(api, { trigger, target: workflow, ...filter });
  // A trigger that was removed from the project still has runs.
  if (document.data.length === 0) await rejectUnknown(api, trigger, workflow);
  context.print({
    document,
    text: () => renderRuns(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.notify(emptyHint(trigger, options));
  notifyOlder(context, "runs", document);
}

function emptyHint(trigger: string, { workflow, status, cursor }: Options): string {
  if (cursor !== undefined) return `${trigger} has no older runs that match.`;
  if (workflow !== undefined || status !== undefined)
    return `No run of ${trigger} matches. Omit --workflow and --status to list all.`;
  return `${trigger} has no runs yet. Send it a webhook: signalbox triggers send ${trigger} --data '{…}'`;
}

async function rejectUnknown(api: ApiClient, slug: string, workflow: string | undefined): Promise<void> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  const attachments = data.filter((trigger) => trigger.slug === slug);
  if (attachments.length === 0) {
    const hint = didYouMean(
      slug,
      data.map((trigger) => trigger.slug),
    );
    throw new Failure(`Unknown trigger ${JSON.stringify(slug)}.${hint}`, {
      code: "not_found",
      fix: listsTriggers,
    });
  }
  const targets = attachments.flatMap(({ target }) => target?.slug ?? []);
  if (workflow === undefined || targets.includes(workflow)) return;
  throw new Failure(
    `${slug} does not start the workflow ${JSON.stringify(workflow)}.${didYouMean(workflow, targets)}`,
    {
      code: "not_found",
      fix:
        targets.length === 0
          ? "It starts nothing. It wakes the runs that wait for it."
          : `It starts ${targets.join(", ")}.`,
    },
  );
}
