import { z } from "zod";
import { runSchema } from "../../../server/contract/run.ts";
import { timelineEntrySchema } from "../../../server/contract/timeline.ts";
import { apiPath } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { renderRun } from "./render-run.ts";
import { aboutRun, findsRuns } from "./suggest-run.ts";
import { notifyIfIdle } from "./tell-if-idle.ts";
import { waitForRun } from "./wait-for-run.ts";

export function registerRunsGet(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("get", "Show one run: status, timeline, input, output and error", [
      "signalbox runs get run_01K9ZR7M3QD4V8XN2T5B6C7E8F --wait",
    ])
    .argument("<id>", "Id of the run")
    .option("--wait", "Wait until the run ends. Exit code 1 unless it completed")
    .action(runner.action(getRun));
}

const timelineAnswer = z.object({ data: z.array(timelineEntrySchema) });

async function getRun(context: CommandContext, id: string, options: { wait?: boolean }): Promise<number> {
  const api = await context.api();
  let run = await aboutRun(api, id, () =>
    api.request({ path: apiPath`/runs/${id}`, answer: runSchema, notFoundFix: findsRuns }),
  );
  if (options.wait && run.finishedAt === null) {
    notifyIfIdle(context);
    run = await waitForRun(api, id);
  }
  const timeline = context.isJson
    ? []
    : (await api.request({ path: apiPath`/runs/${id}/timeline`, query: { limit: 100 }, answer: timelineAnswer })).data;
  context.print({
    document: run,
    text: () => renderRun({ run, timeline, paint: context.terminal.out.paint, now: context.now() }),
  });
  if (
    run.status === "waiting" &&
    timeline.findLast(({ kind }) => kind.startsWith("approval_"))?.kind === "approval_requested"
  )
    context.notify(`Waiting for approval: signalbox runs approve ${run.id} (or deny)`);
  return options.wait && run.status !== "completed" ? 1 : 0;
}
