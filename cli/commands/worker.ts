import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";
import { parsePort } from "./parse-options.ts";
import { readDeployed } from "./read-deployed.ts";
import { toStartFailure } from "./start-service.ts";
import { untilStopped } from "./until-stopped.ts";

export function registerWorker(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("worker", "Execute runs that other machines accepted. All machines share a Postgres store", [
      "signalbox worker",
      "SIGNALBOX_WORKERS=4 signalbox worker --health-port 3001",
    ])
    .option("--health-port <port>", "Serve GET /healthz and /readyz on this port (default: no port)", parsePort)
    .action(runner.action(work));
}

/** Runs workers without a web process until SIGINT or SIGTERM. */
export async function work(context: CommandContext, { healthPort }: { healthPort?: number }): Promise<void> {
  const { settings, manifest, logger, events } = await readDeployed(context, {});
  const { startWorkers } = await import("../../server/processes/start-workers.ts");
  const stopped = untilStopped();
  const workers = await startWorkers({ settings, reporter: events, logger, healthPort: healthPort ?? null }).catch(
    (error: unknown) => {
      throw toStartFailure(error);
    },
  );
  events.working({ manifest, healthPort: workers.healthPort });
  await stopped;
  events.stopping();
  await workers.close();
}
