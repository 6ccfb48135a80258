import { resolve } from "node:path";
import { formatCount } from "../../server/domain/format.ts";
import { Failure } from "../terminal/failure.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";
import { findOwnStore } from "./find-own-store.ts";

export function registerRestore(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("restore", "Replace the store with a backup. Stop the service first", [
      "signalbox restore signalbox-2026-11-21.db",
    ])
    .argument("<file>", "A file that `signalbox backup` created")
    .action(runner.action(restore));
}

async function restore(context: CommandContext, name: string): Promise<void> {
  const { file, running } = await findOwnStore(context.projectDir, "restore");
  if (running)
    throw new Failure(`The service is running on ${running.url} (process ${running.pid}).`, {
      code: "service_running",
      fix: "Stop it, restore, then start it again.",
    });
  const { restoreDatabase } = await import("../../server/store/sqlite/restore-database.ts");
  const restored = restoreDatabase({ from: resolve(context.cwd, name), file, now: context.now() });
  context.print({
    document: { file, ...restored },
    text: () =>
      `${context.terminal.out.paint("good", "✓")} Restored ${file}: ${formatCount(restored.deliveries, "delivery", "deliveries")}, ${formatCount(restored.runs, "run")}.\n`,
  });
  if (context.isJson) return;
  if (restored.keptAs) context.notify(`The previous store is kept as ${restored.keptAs}.`);
  if (restored.openRuns > 0)
    context.notify(
      `The backup has ${formatCount(restored.openRuns, "unfinished run")}. They continue at the next start, including runs that ended after the backup.`,
    );
}
