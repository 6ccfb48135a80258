import { CommanderError } from "commander";
import { Failure, failureDocument, renderFailure, toFailure, usageFailure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { CliCommand } from "./cli-command.ts";
import { type CliHost, createCommandRunner, jsonDocument } from "./command-context.ts";
import { packageVersion } from "../../server/paths.ts";
import { registerCommands } from "./register-commands.ts";

/**
 * Runs one command line, e.g. `["triggers", "list", "--json"]`, to its end. Resolves with the exit code: 0
 * success, 1 failure, 2 wrong usage.
 */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number> {
  const isJson = hasJsonFlag(argv);
  const help = { text: "" };
  const runner = createCommandRunner(host);
  const program = createProgram((text) => (help.text += text));
  registerCommands(program, runner);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return runner.exitCode();
  } catch (error) {
    if (error instanceof CommanderError)
      return endWithHelp({ error, help: help.text, isJson, terminal: host.terminal });
    return endWithFailure(error, { isJson, terminal: host.terminal });
  }
}

function createProgram(write: (text: string) => void): CliCommand {
  const program = new CliCommand("signalbox");
  return (
    program
      .description("Self-hosted, code-first webhook triggers.")
      .usage("<command> [options]")
      .option("--project <dir>", "Folder of the project (default: the current folder)")
      .option(
        "--env-file <file>",
        "File of environment variables, may be repeated (default: .env in the project's folder)",
        (file: string, before: string[] = []) => [...before, file],
      )
      .option("--json", "Print one JSON document on stdout")
      .helpOption("--help", "Show this help")
      .helpCommand("help [command]", "Same as --help")
      .version(packageVersion(), "--version", "Show the version")
      .configureHelp({ showGlobalOptions: true })
      // Help and errors are buffered until their destination and format are known.
      .configureOutput({
        writeOut: write,
        writeErr: write,
        outputError() {},
        getOutHelpWidth: () => 100,
        getErrHelpWidth: () => 100,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .exitOverride()
      .addHelpText(
        "after",
        "\nExamples:\n  $ signalbox init my-hooks && cd my-hooks && npm install\n  $ signalbox dev\n  $ signalbox triggers list\n",
      )
  );
}

function endWithHelp(options: { error: CommanderError; help: string; isJson: boolean; terminal: Terminal }): number {
  const { error, help, isJson, terminal } = options;
  if (error.code === "commander.version")
    terminal.out.write(isJson ? jsonDocument({ version: packageVersion() }) : `${packageVersion()}\n`);
  else if (error.exitCode === 0) terminal.out.write(isJson ? jsonDocument({ help }) : help);
  else if (isJson) terminal.out.write(jsonLine(failureDocument(usageFailure("A command is missing.", help))));
  else terminal.err.write(help);
  return error.exitCode === 0 ? 0 : 2;
}

function endWithFailure(error: unknown, { isJson, terminal }: { isJson: boolean; terminal: Terminal }): number {
  const failure = toFailure(error) ?? internalFailure(error, terminal);
  if (isJson) terminal.out.write(jsonLine(failureDocument(failure)));
  else terminal.err.write(renderFailure(failure, terminal.err.paint));
  return failure.details.exitCode ?? 1;
}

/** An internal error: the stack is printed for the bug report. */
function internalFailure(error: unknown, terminal: Terminal): Failure {
  terminal.err.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return new Failure("Internal error. The stack trace is on stderr. Please report it.", {
    code: "internal",
    cause: error,
  });
}

/** On one line, because `dev` and `start` print one document per line and may fail later. */
function jsonLine(document: unknown): string {
  return `${JSON.stringify(document)}\n`;
}

function hasJsonFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
