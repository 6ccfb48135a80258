import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { entryFile, packageRoot } from "../../../server/paths.ts";

/** An empty folder, removed when the test ends. */
export function emptyFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** A copy of the example project, with its packages. */
export function copyStarter(): string {
  const dir = emptyFolder();
  cpSync(join(packageRoot, "examples/starter"), dir, { recursive: true, filter: (path) => !/\.signalbox|outbox$|node_modules/.test(path.slice(packageRoot.length)) });
  renameSync(join(dir, "gitignore"), join(dir, ".gitignore"));
  mkdirSync(join(dir, "node_modules"));
  for (const name of ["zod", "@ai-sdk"]) symlinkSync(join(packageRoot, "node_modules", name), join(dir, "node_modules", name));
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
export function signalbox(args: string[], p: { cwd: string; env?: NodeJS.ProcessEnv; input?: string }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entryFile("cli"), ...args], { cwd: p.cwd, env: { ...cleanEnv(), ...p.env }, encoding: "utf8", input: p.input ?? "", timeout: 120_000 });
  return { status, stdout, stderr };
}

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when this stands in what it has printed since the last such call; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

/** Starts a command that goes on; it is ended with the test. */
export function startSignalbox(args: string[], p: { cwd: string; env?: NodeJS.ProcessEnv }): Running {
  const child = spawn(process.execPath, [entryFile("cli"), ...args], { cwd: p.cwd, env: { ...cleanEnv(), ...p.env }, stdio: ["ignore", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "", both: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      text[name] += chunk;
      text.both += chunk;
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let seen = 0;
  onTestFinished(async () => {
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
          if (!match) throw new Error(`${pattern} was not printed${child.exitCode === null ? "" : `, and it ended with ${child.exitCode}`}:\n${text.both.slice(seen)}`);
          seen += match.index + match[0].length;
          return match;
        },
        { timeout: 120_000, interval: 20 },
      ),
    ended: () => exit,
  };
}

function cleanEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|DATABASE_URL$|PORT$|HOST$|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name));
  return Object.fromEntries(kept);
}
