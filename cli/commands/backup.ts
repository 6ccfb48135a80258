import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Failure } from "../terminal/failure.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandContext, CommandRunner } from "./command-context.ts";
import { findOwnStore } from "./find-own-store.ts";
import { formatBytes, formatCount } from "../../server/domain/format.ts";

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
  const { backUpDatabase } = await import("../../server/store/sqlite/backup-database.ts");
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
