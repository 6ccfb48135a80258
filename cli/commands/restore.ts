import { resolve } from "node:path";
import { Failure } from "../terminal/failure.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";
import { findOwnStore } from "./find-own-store.ts";

export function registerRestore(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("restore", "put a backup in the store's place; the service must be stopped", [
      "signalbox restore signalbox-2026-11-21.db",
    ])
    .argument("<file>", "what `signalbox backup` made")
    .action(runner.action(restore));
}

async function restore(context: CommandContext, name: string): Promise<void> {
  const { file, running } = await findOwnStore(context.projectDir, "restore");
  if (running)
    throw new Failure(`The service runs on ${running.url} (process ${running.pid}).`, {
      code: "service_running",
      fix: "Stop it first, then restore, then start it again.",
    });
  const { restoreDatabase } = await import("../../server/store/sqlite/restore-database.ts");
  const restored = restoreDatabase({ from: resolve(context.cwd, name), file, now: context.now() });
  context.print({
    document: { file, ...restored },
    text: () =>
      `${context.terminal.out.paint("good", "✓")} ${file} has ${restored.deliveries} deliveries and ${restored.runs} runs again.\n`,
  });
  if (context.isJson) return;
  if (restored.keptAs) context.tell(`The store from before is kept as ${restored.keptAs}.`);
  if (restored.openRuns > 0)
    context.tell(
      `${restored.openRuns} runs are open in it, and go on at the next start, also those that have ended since the backup.`,
    );
}
