import { runSchema } from "../../../server/contract/run.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { startedRunsAnswer } from "../triggers/trigger-answers.ts";
import { actInBulk, type BulkOptions, isAboutOne, withBulkOptions } from "./bulk.ts";
import { aboutRun, findsRuns, notifyIfIdle } from "./read-runs.ts";

export function registerRunsResume(runs: CliCommand, runner: CommandRunner): void {
  const command = runs.subcommand(
    "resume",
    "Resume failed runs on the current build: finished steps and their idempotency keys are kept",
    [
      "signalbox runs resume run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
      "signalbox runs resume --trigger invoice-paid --since 1h --dry-run",
    ],
  );
  withBulkOptions(command)
    .argument("[id]", "Id of the run")
    .action(
      runner.action(async (context: CommandContext, id: string | undefined, options: BulkOptions) =>
        isAboutOne(id, options) ? resumeRun(context, id) : actInBulk(context, "resume", options),
      ),
    );
}

async function resumeRun(context: CommandContext, id: string): Promise<void> {
  const api = await context.api();
  const run = await aboutRun(api, id, () =>
    api.request({ method: "POST", path: apiPath`/runs/${id}/resume`, answer: runSchema, notFoundFix: findsRuns }),
  );
  context.print({
    document: run,
    text: () => `${renderMark(runMarks[run.status], context.terminal.out.paint)}  ${run.id}\n`,
  });
  if (context.isJson) return;
  context.notify(`Resumed with version ${run.version}. \`signalbox runs get ${run.id} --wait\` waits for the result.`);
  notifyIfIdle(context);
}

export function registerRunsReplay(runs: CliCommand, runner: CommandRunner): void {
  const command = runs.subcommand(
    "replay",
    "Replay runs from the beginning, each as a new run: every step executes again, with a new idempotency key",
    [
      "signalbox runs replay run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
      "signalbox runs replay --status failed --since 1h --unresolved --limit 10",
    ],
  );
  withBulkOptions(command)
    .argument("[id]", "Id of the run")
    .action(
      runner.action(async (context: CommandContext, id: string | undefined, options: BulkOptions) =>
        isAboutOne(id, options) ? replayRun(context, id) : actInBulk(context, "replay", options),
      ),
    );
}

/** Only the id of the new run is on stdout, for the next command. */
async function replayRun(context: CommandContext, id: string): Promise<void> {
  const api = await context.api();
  const document = await aboutRun(api, id, () =>
    api.request({
      method: "POST",
      path: apiPath`/runs/${id}/replay`,
      answer: startedRunsAnswer,
      notFoundFix: findsRuns,
    }),
  );
  context.print({ document, text: () => `${document.runId}\n` });
  if (context.isJson) return;
  context.notify(
    `Replaying ${id} from the beginning, as a new run. \`signalbox runs get ${document.runId} --wait\` waits for the result.`,
  );
  notifyIfIdle(context);
}

export function registerRunsCancel(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("cancel", "Cancel a run, or release the key that a failed run blocks", [
      "signalbox runs cancel run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the run")
    .action(runner.action(cancelRun));
}

async function cancelRun(context: CommandContext, id: string): Promise<void> {
  const api = await context.api();
  const run = await aboutRun(api, id, () =>
    api.request({ method: "POST", path: apiPath`/runs/${id}/cancel`, answer: runSchema, notFoundFix: findsRuns }),
  );
  context.print({
    document: run,
    text: () => `${renderMark(runMarks[run.status], context.terminal.out.paint)}  ${run.id}\n`,
  });
  if (!context.isJson && run.finishedAt !== null && run.status !== "canceled")
    context.notify("The run stays failed. It no longer blocks its key: the next run with the key starts.");
  else if (!context.isJson && run.status !== "canceled")
    context.notify("Cancellation requested. `signalbox runs get` with --wait waits until the run has ended.");
}
