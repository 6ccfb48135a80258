import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { formatBytes, formatCount } from "../../../server/shared/format.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { findOwnStore } from "./own-store.ts";

export function registerBackup(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("backup", "Copy the store into a file, also while the service runs", [
      "signalbox backup signalbox-2026-11-21.db",
    ])
    .argument("<file>", "A new file. Existing files are not overwritten")
    .action(runner.action(backUp));
}

async function backUp(context: CommandContext, name: string): Promise<void> {
  const { file } = await findOwnStore(context.projectDir, "backup");
  const { backUpDatabase } = await import("../../../server/store/sqlite/file/backup-database.ts");
  const to = resolve(context.cwd, name);
  if (existsSync(to))
    throw new Failure(`${to} already exists.`, {
      code: "file_exists",
      fix: "Choose another name, or move the existing file.",
    });
  const onStage = (stage: string, bytes: number) => {
    if (!context.isJson)
      context.notify(
        stage === "copying"
          ? `Copying ${file} (${formatBytes(bytes)}) …`
          : `Checking the copy (${formatBytes(bytes)}) …`,
      );
  };
  const made = backUpDatabase({ file, to, onStage });
  context.print({
    document: { file: to, ...made },
    text: () =>
      `${context.terminal.out.paint("good", "✓")} ${to}: ${formatCount(made.deliveries, "delivery", "deliveries")}, ${formatCount(made.runs, "run")}, ${formatBytes(made.bytes)}. The copy was checked.\n`,
  });
  if (!context.isJson)
    context.notify(
      "The backup does not contain the secret (.signalbox/secret, or SIGNALBOX_SECRET). Keep the secret elsewhere: without it, keys still work, but cannot be shown again.",
    );
}

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
  const { restoreDatabase } = await import("../../../server/store/sqlite/file/restore-database.ts");
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
