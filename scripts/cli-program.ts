import { Readable } from "node:stream";
import type { Command } from "commander";
import { CliCommand } from "../cli/commands/cli-command.ts";
import { createCommandRunner } from "../cli/commands/command-context.ts";
import { registerCommands } from "../cli/commands/register-commands.ts";
import { createPaint } from "../cli/terminal/terminal.ts";

/** The command line with all commands. None can be run. */
export function createProgram(): CliCommand {
  const output = { write() {}, paint: createPaint(false), hasColor: false, isTerminal: false };
  const runner = createCommandRunner({
    terminal: { out: output, err: output },
    cwd: "/nowhere",
    stdin: Readable.from([]),
    now: () => 0,
    openApi: () => Promise.reject(new Error("No command is run here")),
  });
  const root = new CliCommand("signalbox")
    .option("--project <dir>")
    .option("--env-file <file>")
    .option("--json")
    .option("--version")
    .helpOption("--help");
  registerCommands(root, runner);
  return root;
}

/** The commands without subcommands. `path` has no `signalbox`. */
export function leavesOf(command: Command, path: string[] = []): { path: string; command: Command }[] {
  if (command.commands.length === 0) return [{ path: path.join(" "), command }];
  return command.commands.flatMap((below) => leavesOf(below, [...path, below.name()]));
}
