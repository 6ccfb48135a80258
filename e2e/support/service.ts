import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { it, onTestFinished } from "vitest";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { manyCleanups, type OnCleanup } from "../../scripts/cleanups.ts";
import { cliFile, repository } from "./project.ts";

export interface Service {
  url: string;
  projectDir: string;
  child: ChildProcess;
  /** Everything that it printed so far. */
  output(): string;
  /** SIGKILL to every process of it, at once. */
  killGroup(): Promise<void>;
  /** SIGTERM, as an operator would; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceOptions {
  projectDir: string;
  command: "dev" | "start";
  /** Further options of the command. */
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** The program to run; what `npm run build` made by default. */
  program?: string[];
  port?: number;
  /** The program is `npm run`, in the repository: the script names the project itself. */
  npmScript?: boolean;
}

/**
 * Starts `signalbox dev` or `signalbox start` as a process group of its own, and waits until it says that it is ready.
 * Killed by `onCleanup`. Default: when the test ends.
 */
export function startService(options: ServiceOptions, onCleanup: OnCleanup = onTestFinished): Promise<Service> {
  return launch(options, onCleanup);
}

/**
 * `it` whose tests get the same running `service`, started once for the file: for tests that look only at what they
 * made themselves.
 *
 *     const it = withSharedService((onCleanup) => ({ projectDir: copyStarter(onCleanup), command: "dev" }));
 *     it("answers", async ({ service }) => expect((await fetch(service.url)).status).toBe(200));
 */
export function withSharedService(options: (onCleanup: OnCleanup) => ServiceOptions) {
  return it.extend("service", { scope: "file" }, sharedService(options));
}

/**
 * The fixture of `withSharedService`, for a file that needs several services. Each starts before the first test that
 * names it.
 *
 *     test.extend("service", { scope: "file" }, sharedService(…)).extend("edited", { scope: "file" }, sharedService(…))
 */
export function sharedService(options: (onCleanup: OnCleanup) => ServiceOptions) {
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which other fixtures are needed.
  return ({}, { onCleanup }: { onCleanup: OnCleanup }): Promise<Service> => {
    const add = manyCleanups(onCleanup);
    return launch(options(add), add);
  };
}

async function launch(options: ServiceOptions, onCleanup: OnCleanup): Promise<Service> {
  const [program = "", ...args] = options.program ?? [process.execPath, cliFile];
  const port = ["--port", String(options.port ?? 0)];
  const rest = options.npmScript ? ["--", ...port] : ["--project", options.projectDir, ...port];
  const child = spawn(program, [...args, options.command, ...rest, ...(options.args ?? [])], {
    cwd: options.npmScript ? repository : options.projectDir,
    env: { ...cleanEnvironment(), ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const killGroup = async () => {
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
    await exited(child);
  };
  onCleanup(killGroup);
  const url = await waitForUrl(options.projectDir, child, () => output);
  return {
    url,
    projectDir: options.projectDir,
    child,
    output: () => output,
    killGroup,
    async stop() {
      child.kill("SIGTERM");
      await exited(child);
      return child.exitCode;
    },
  };
}

/** Runs one command of the command line to its end. */
export function signalbox(args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv; input?: string }) {
  const result = spawnSync(process.execPath, [cliFile, ...args], {
    cwd: options.cwd,
    env: { ...cleanEnvironment(), ...options.env },
    encoding: "utf8",
    input: options.input ?? "",
    timeout: 240_000,
  });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

const readyWithinMs = 240_000;

/** Without Vitest, because services are also started outside of tests. */
async function waitForUrl(projectDir: string, child: ChildProcess, output: () => string): Promise<string> {
  const file = join(projectDir, ".signalbox/server.json");
  for (const giveUpAt = performance.now() + readyWithinMs; performance.now() < giveUpAt; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output()}`);
    if (!existsSync(file)) continue;
    const { pid, url } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; url: string };
    if (pid === child.pid || isBelow(pid, child.pid)) return url;
  }
  throw new Error(`It is not ready:\n${output()}`);
}

/** `npx` and `npm` are parent processes of the program that they start. */
function isBelow(pid: number, ancestor: number | undefined): boolean {
  const stat = `/proc/${pid}/stat`;
  if (pid <= 1 || !existsSync(stat)) return false;
  const parent = Number(readFileSync(stat, "utf8").split(") ")[1]?.split(" ")[1]);
  return parent === ancestor || isBelow(parent, ancestor);
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once("exit", resolve));
}
