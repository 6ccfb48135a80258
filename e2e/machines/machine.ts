import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { cliFile, repository } from "../support/project.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { signalbox } from "../support/service.ts";

/** A folder of its own with the same build, as a machine has it. */
export interface Machine {
  dir: string;
  /** Port of the web process, otherwise of the health checks. */
  url: string;
  child: ChildProcess;
  output(): string;
  /** Sends SIGKILL to all its processes at once, like a power failure of the machine. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** A project that was built once, and is copied to every machine. */
export interface Fleet {
  /**
   * Starts a machine, and waits until it is ready. `files` are another version of some of the project's: the machine
   * has both builds, or only the newer one if it `isFresh`.
   */
  start(
    role: "web" | "worker",
    p?: { files?: Record<string, string>; isFresh?: boolean; env?: NodeJS.ProcessEnv },
  ): Promise<Machine>;
  /** Ends all of them, and removes their files. */
  close(): Promise<void>;
}

export function openFleet(p: { files: Record<string, string>; env: NodeJS.ProcessEnv }): Fleet {
  const root = mkdtempSync(join(tmpdir(), "signalbox-fleet-"));
  const machines: Machine[] = [];
  const original = join(root, "project");
  writeFiles(original, { "package.json": `{"name":"fleet","private":true,"type":"module"}`, ...p.files });
  mkdirSync(join(original, "node_modules"));
  symlinkSync(join(repository, "node_modules/zod"), join(original, "node_modules/zod"));
  build(original);
  let made = 0;

  return {
    async start(role, { files = {}, isFresh = false, env = {} } = {}) {
      made += 1;
      const dir = join(root, `machine-${made}`);
      cpSync(original, dir, { recursive: true, verbatimSymlinks: true });
      if (Object.keys(files).length > 0) {
        if (isFresh) rmSync(join(dir, ".signalbox"), { recursive: true });
        writeFiles(dir, files);
        build(dir);
      }
      const machine = await startMachine(dir, { role, env: { ...p.env, ...env } });
      machines.push(machine);
      return machine;
    },
    async close() {
      await Promise.all(machines.map((machine) => machine.kill()));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startMachine(dir: string, p: { role: "web" | "worker"; env: NodeJS.ProcessEnv }): Promise<Machine> {
  const args = p.role === "web" ? ["start", "--role", "web", "--port", "0"] : ["worker", "--health-port", "0"];
  const env = { ...cleanEnvironment(), SIGNALBOX_HOST: "127.0.0.1", ...p.env };
  const child = spawn(process.execPath, [cliFile, ...args, "--project", dir, "--json"], {
    cwd: dir,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  const url = await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output}`);
      const web = /"event":"ready".*?"url":"([^"]+)"/.exec(output)?.[1];
      const health = /"event":"working".*?"healthPort":(\d+)/.exec(output)?.[1];
      if (!web && !health) throw new Error(`It is not ready:\n${output}`);
      return web ?? `http://127.0.0.1:${health}`;
    },
    { timeout: 240_000, interval: 50 },
  );
  return {
    dir,
    url,
    child,
    output: () => output,
    async kill() {
      if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
      await exited();
    },
    async stop() {
      child.kill("SIGTERM");
      await exited();
      return child.exitCode;
    },
  };
}

function build(dir: string): void {
  const { status, stderr } = signalbox(["build"], { cwd: dir });
  if (status !== 0) throw new Error(stderr);
}

function writeFiles(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}
