import type { Command } from "commander";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ApiClient } from "../api/api-client.ts";
import type { OpenedApi } from "../api/open-api.ts";
import { Failure } from "../terminal/failure.ts";
import { type EnvFiles, loadEnvFiles } from "./env-files.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The process environment of the command line. */
export interface CliHost {
  terminal: Terminal;
  cwd: string;
  stdin: { isTTY?: boolean | undefined } & AsyncIterable<Uint8Array | string>;
  now(): number;
  openApi(projectDir: string): Promise<OpenedApi>;
}

export interface CommandContext {
  terminal: Terminal;
  cwd: string;
  stdin: CliHost["stdin"];
  now(): number;
  projectDir: string;
  /** Loaded before the command. */
  envFiles: EnvFiles;
  isJson: boolean;
  /** The REST API, opened on first use and closed when the command ends. */
  api(): Promise<ApiClient>;
  /** Prints the result on stdout: one JSON document with --json, otherwise text. */
  print(result: { document: unknown; text: () => string }): void;
  /** Prints a message for a person on stderr. */
  notify(text: string): void;
}

/** Performs one command and returns its exit code. Default: 0. */
type Perform<Args extends unknown[]> = (context: CommandContext, ...args: Args) => Promise<number | void>;

/** Runs commands with their context, and records the exit code. */
export interface CommandRunner {
  /** The action of a command. `Args` are its arguments as declared, then its options. */
  action<Args extends unknown[]>(perform: Perform<Args>): (...args: [...Args, Command]) => Promise<void>;
}

export function createCommandRunner(host: CliHost): CommandRunner & { exitCode(): number } {
  let exitCode = 0;
  return {
    exitCode: () => exitCode,
    action:
      <Args extends unknown[]>(perform: Perform<Args>) =>
      async (...all: [...Args, Command]) => {
        // TypeScript does not keep the type of the tuple through slice.
        const command = all.at(-1) as Command;
        const args = all.slice(0, -1) as Args;
        const { context, close } = createContext(host, command.optsWithGlobals<GlobalOptions>());
        try {
          exitCode = (await perform(context, ...args)) ?? 0;
        } finally {
          await close();
        }
      },
  };
}

interface GlobalOptions {
  project?: string;
  envFile?: string[];
  json?: boolean;
}

function createContext(host: CliHost, options: GlobalOptions): { context: CommandContext; close(): Promise<void> } {
  const { terminal } = host;
  const projectDir = resolve(host.cwd, options.project ?? ".");
  const isJson = options.json === true;
  const envFiles = loadEnvFiles({ projectDir, cwd: host.cwd, given: options.envFile ?? [] });
  let opened: Promise<OpenedApi> | null = null;
  const context: CommandContext = {
    terminal,
    cwd: host.cwd,
    stdin: host.stdin,
    now: host.now,
    projectDir,
    envFiles,
    isJson,
    async api() {
      opened ??= host.openApi(projectDir);
      return (await opened).client;
    },
    print: ({ document, text }) => terminal.out.write(isJson ? jsonDocument(document) : text()),
    notify: (text) => terminal.err.write(text.endsWith("\n") ? text : `${text}\n`),
  };
  return { context, close: async () => (await opened?.catch(() => null))?.close() };
}

/** Whether a person reads stderr. Secrets are printed only for a person, never into logs. */
export function isWatched({ isJson, terminal }: Pick<CommandContext, "isJson" | "terminal">): boolean {
  return !isJson && terminal.err.isTerminal;
}

export function jsonDocument(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Throws a Failure if the project's folder does not exist. */
export function requireProject(projectDir: string): void {
  if (statSync(projectDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Failure(`The folder ${projectDir} does not exist.`, {
    code: "no_project",
    fix: "Set the folder of the project with --project, or create a project with `signalbox init <dir>`.",
  });
}
