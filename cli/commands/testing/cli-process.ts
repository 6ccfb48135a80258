import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as base, vi } from "vitest";
import { cleanEnvironment } from "../../../scripts/clean-environment.ts";
import { manyCleanups, type OnCleanup } from "../../../scripts/cleanups.ts";
import { entryFile, packageRoot } from "../../../server/paths.ts";

/** A test that removes its folders and ends its commands. Safe to run concurrently. */
export const it = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which other fixtures are needed.
  .extend("onEnd", ({}, { onCleanup }) => manyCleanups(onCleanup))
  .extend(
    "emptyFolder",
    ({ onEnd }) =>
      () =>
        emptyFolder(onEnd),
  )
  .extend(
    "copyStarter",
    ({ onEnd }) =>
      () =>
        copyStarter(onEnd),
  )
  .extend(
    "startSignalbox",
    ({ onEnd }) =>
      (...given: CommandLine) =>
        startSignalbox(given, onEnd),
  );

type CommandLine = [args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv; input?: string }];

function emptyFolder(onEnd: OnCleanup): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-cli-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** A copy of the example project, with its packages. */
function copyStarter(onEnd: OnCleanup): string {
  const dir = emptyFolder(onEnd);
  cpSync(join(packageRoot, "examples/starter"), dir, {
    recursive: true,
    filter: (path) => !/\.signalbox|outbox$|node_modules/.test(path.slice(packageRoot.length)),
  });
  renameSync(join(dir, "gitignore"), join(dir, ".gitignore"));
  mkdirSync(join(dir, "node_modules"));
  for (const name of ["zod", "@ai-sdk"])
    symlinkSync(join(packageRoot, "node_modules", name), join(dir, "node_modules", name));
  return dir;
}

export function edit(dir: string, path: string, change: (text: string) => string): void {
  writeFileSync(join(dir, path), change(readFileSync(join(dir, path), "utf8")));
}

export function write(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** Runs one command to its end, in a process of its own. */
export async function signalbox(
  ...[args, { cwd, env, input = "" }]: CommandLine
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [entryFile("cli"), ...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    timeout: 120_000,
  });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (chunk: string) => (text[name] += chunk));
  // It may end without reading.
  child.stdin.on("error", () => {}).end(input);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, ...text };
}

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when the output since the last such call matches; rejects if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

/** Starts a long-running command, which is killed when the test ends. */
function startSignalbox([args, { cwd, env }]: CommandLine, onEnd: OnCleanup): Running {
  const child = spawn(process.execPath, [entryFile("cli"), ...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { stdout: "", stderr: "", both: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      text[name] += chunk;
      text.both += chunk;
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let seen = 0;
  onEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exit;
  });
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    printed: (pattern) =>
      vi.waitFor(
        () => {
          const match = pattern.exec(text.both.slice(seen));
          if (!match)
            throw new Error(
              `${pattern} was not printed${child.exitCode === null ? "" : `, and it ended with ${child.exitCode}`}:\n${text.both.slice(seen)}`,
            );
          seen += match.index + match[0].length;
          return match;
        },
        { timeout: 120_000, interval: 20 },
      ),
    ended: () => exit,
  };
}
