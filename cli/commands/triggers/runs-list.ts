import { Option } from "commander";
import { type RunStatus, runStatusSchema } from "../../../server/contract/run.ts";
import { didYouMean } from "../../../server/domain/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseLimit } from "../parse-options.ts";
import { renderRuns } from "../runs/render-runs.ts";
import { listsTriggers, runsAnswer, triggersAnswer } from "./trigger-answers.ts";

export function registerTriggersRunsList(triggerRuns: CliCommand, runner: CommandRunner): void {
  triggerRuns
    .subcommand("list", "the runs of a trigger, newest first", [
      "signalbox triggers runs list new-signup",
      "signalbox triggers runs list new-signup --status failed --limit 5",
    ])
    .argument("<slug>", "a trigger")
    .option("--workflow <slug>", "only those of this workflow")
    .addOption(new Option("--status <status>", "only those in this state").choices(runStatusSchema.options))
    .option("--limit <number>", "at most so many, 1 to 100", parseLimit, 20)
    .action(runner.action(listTriggerRuns));
}

interface Options {
  workflow?: string;
  status?: RunStatus;
  limit: number;
}

async function listTriggerRuns(context: CommandContext, trigger: string, options: Options): Promise<void> {
  const api = await context.api();
  const { workflow, status, limit } = options;
  const document = await api.request({
    path: "/runs",
    query: { trigger, target: workflow, status, limit },
    answer: runsAnswer,
  });
  // Runs of a trigger that has left the project are still there to be listed.
  if (document.data.length === 0) await refuseUnknown(api, trigger, workflow);
  context.print({
    document,
    text: () => renderRuns(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  if (document.data.length === 0) context.tell(emptyHint(trigger, workflow !== undefined || status !== undefined));
  if (document.nextCursor !== null)
    context.tell(
      limit < 100
        ? "There are older ones: --limit shows up to 100."
        : "There are older ones: the REST API and the app page through all.",
    );
}

function emptyHint(trigger: string, isFiltered: boolean): string {
  if (isFiltered) return `No run of ${trigger} is like that. Without --workflow and --status all are listed.`;
  return `${trigger} has not run yet. \`signalbox triggers send ${trigger} --data '{…}'\` sends it something.`;
}

async function refuseUnknown(api: ApiClient, slug: string, workflow: string | undefined): Promise<void> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  const attachments = data.filter((trigger) => trigger.slug === slug);
  if (attachments.length === 0) {
    const hint = didYouMean(
      slug,
      data.map((trigger) => trigger.slug),
    );
    throw new Failure(`There is no trigger ${JSON.stringify(slug)} in this project.${hint}`, {
      code: "not_found",
      fix: listsTriggers,
    });
  }
  const targets = attachments.map(({ target }) => target.slug);
  if (workflow === undefined || targets.includes(workflow)) return;
  throw new Failure(`${slug} does not start a workflow ${JSON.stringify(workflow)}.${didYouMean(workflow, targets)}`, {
    code: "not_found",
    fix: `It starts ${targets.join(", ")}.`,
  });
}
