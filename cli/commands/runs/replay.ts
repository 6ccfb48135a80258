import { runSchema } from "../../../server/contract/run.ts";
import { apiPath } from "../../api/api-client.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { startedRunsAnswer } from "../triggers/trigger-answers.ts";
import { aboutRun, findsRuns, notifyIfIdle } from "./read-runs.ts";

export function registerRunsReplay(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("replay", "Replay a run: start a new run with the same payload", [
      "signalbox runs replay run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
    ])
    .argument("<id>", "Id of the run")
    .action(runner.action(replayRun));
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
  context.notify(`Replaying ${id}. \`signalbox runs get ${document.runId} --wait\` waits for the result.`);
  notifyIfIdle(context);
}

export function registerRunsCancel(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("cancel", "Cancel a run", ["signalbox runs cancel run_01K9ZR7M3QD4V8XN2T5B6C7E8F"])
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
  if (!context.isJson && run.status !== "canceled")
    context.notify("Cancellation requested. `signalbox runs get` with --wait waits until the run has ended.");
}
