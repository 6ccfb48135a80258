import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import { cliFile } from "../support/project.ts";
import { atExit } from "./at-exit.ts";
import { writeAuditedProject } from "./audited-project.ts";
import type { SourceChange } from "./changed-source.ts";
import { buildMutant } from "./build-mutant.ts";
import { childrenOf, isRunning, membersOf } from "./processes.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";

export interface ServiceOptions {
  projectDir: string;
  port: number;
  sinkUrl: string;
  generation: number;
  /** Changes to the sources of the service: a mutant. */
  changes: readonly SourceChange[];
  env?: NodeJS.ProcessEnv | undefined;
  /** One machine of several, with its own host name if the system permits it. */
  machine?: { role: "web" | "worker"; name: string };
}

/** `signalbox start` of the audited project, as a process group of its own. */
export interface Service {
  readonly pid: number;
  readonly generation: number;
  readonly url: string;
  receiver(): number[];
  web(): number[];
  workers(): number[];
  /** Sends a signal to all its processes at once. */
  signalGroup(signal: NodeJS.Signals): void;
  /** Sends SIGKILL to all its processes. Resolves when its supervisor has exited. */
  kill(): Promise<void>;
  /** For a service whose supervisor alone was killed: like the function of this name. */
  untilLeft(): Promise<number[]>;
  /** Ended, or ending. */
  hasEnded(): boolean;
  readonly exited: Promise<void>;
  output(): string;
}

const readyWithinMs = 240_000;
const leaveWithinMs = 30_000;

let canName: boolean | null = null;

/** Otherwise all have the name of this machine: the others then take over its runs at once, instead of after its leases. */
function mayName(): boolean {
  canName ??= spawnSync("unshare", ["--uts", "hostname", "audited"], { stdio: "ignore" }).status === 0;
  return canName;
}

/** Neither ready nor monitored yet. */
export async function spawnService(options: ServiceOptions): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const program = options.changes.length > 0 ? await buildMutant(options.changes) : cliFile;
  const { projectDir, port, machine } = options;
  const named =
    machine && mayName() ? ["unshare", "--uts", "sh", "-c", `hostname "$0" && exec "$@"`, machine.name] : [];
  const role =
    machine?.role === "worker"
      ? ["worker", "--health-port", String(port)]
      : ["start", "--port", String(port), ...(machine ? ["--role", machine.role] : [])];
  const [command = "", ...args] = [...named, process.execPath, program, ...role, "--project", projectDir];
  return spawn(command, args, {
    cwd: projectDir,
    env: serviceEnvironment(options),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { projectDir, generation } = options;
  const child = await spawnService(options);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const pid = child.pid ?? 0;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // An interrupted auditor leaves no process behind.
  const killAll = () => void (hasEnded() || process.kill(-pid, "SIGKILL"));
  child.once("exit", atExit(killAll));
  const exited = hasEnded() ? Promise.resolve() : new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url =
    options.machine?.role === "worker"
      ? await untilHealthy(options.port, child, () => output)
      : await untilReady(projectDir, child, () => output);
  return {
    pid,
    generation,
    url,
    receiver: () => childrenOf(pid, "receiver"),
    web: () => childrenOf(pid, "web"),
    workers: () => childrenOf(pid, "worker"),
    signalGroup(signal) {
      if (!hasEnded()) process.kill(-pid, signal);
    },
    async kill() {
      killAll();
      await exited;
    },
    untilLeft: () => untilLeft(pid),
    hasEnded,
    exited,
    output: () => output,
  };
}

/**
 * Resolves when no process of the group is left. Otherwise kills the remaining ones after a while, and resolves with
 * them.
 */
export async function untilLeft(group: number): Promise<number[]> {
  for (
    const giveUpAt = performance.now() + leaveWithinMs;
    performance.now() < giveUpAt;
    await new Promise((resolve) => setTimeout(resolve, 50))
  ) {
    if (membersOf(group).length === 0) return [];
  }
  const left = membersOf(group);
  for (const pid of left) process.kill(pid, "SIGKILL");
  return left;
}

const originals = new Map<number, Secrets & { dir: string }>();

/**
 * Copies the audited project, built, with the key that every client sends, into a new temporary folder. The original is
 * built once per number of workers.
 */
export function copyAuditedProject(workers: number): Secrets & { projectDir: string } {
  const original = originals.get(workers) ?? buildOriginal(workers);
  originals.set(workers, original);
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-audit-"));
  cpSync(original.dir, projectDir, { recursive: true, verbatimSymlinks: true });
  const { key, token } = original;
  return { projectDir, key, token };
}

function buildOriginal(workers: number): Secrets & { dir: string } {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-audit-"));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  writeAuditedProject(dir, workers);
  return { dir, ...prepareProject(dir) };
}

/** What clients send: the webhook key with each order, and the API token to cancel a run. */
export interface Secrets {
  key: string;
  token: string;
}

/** Builds the project and makes its secrets. */
export function prepareProject(projectDir: string, env: NodeJS.ProcessEnv = {}): Secrets {
  signalbox(projectDir, env, "build");
  const create = (...args: string[]) => {
    const made = signalbox(projectDir, env, "keys", "create", "--name", "auditor", "--json", ...args);
    return z.object({ secret: z.string() }).parse(JSON.parse(made)).secret;
  };
  return { key: create(), token: create("--api", "--scope", "operate") };
}

function signalbox(projectDir: string, env: NodeJS.ProcessEnv, ...args: string[]): string {
  const result = spawnSync(process.execPath, [cliFile, ...args, "--project", projectDir], {
    cwd: projectDir,
    env: { ...cleanEnvironment(), ...env },
    encoding: "utf8",
  });
  if (result.status !== 0)
    throw new Error(`signalbox ${args.join(" ")} ended with ${result.status}:\n${result.stderr}`);
  return result.stdout;
}

function serviceEnvironment({ sinkUrl, generation, env }: ServiceOptions): NodeJS.ProcessEnv {
  // Services start often here: they read compiled code from this cache.
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), "signalbox-audit-cache") };
  return { ...cache, ...cleanEnvironment(), AUDIT_SINK: sinkUrl, AUDIT_GENERATION: String(generation), ...env };
}

/** Workers record no URL: their health port shows whether they are ready. */
async function untilHealthy(port: number, child: ChildProcess, output: () => string): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + readyWithinMs;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The workers ended before they were ready:\n${output()}`);
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return url;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (child.pid && isRunning(child.pid)) process.kill(-child.pid, "SIGKILL");
  throw new Error(`The workers were not ready within ${readyWithinMs / 1000} s:\n${output()}`);
}

const announcedSchema = z.object({ pid: z.int(), url: z.string() });

/** The service is ready when the project has the file with its URL. Its output shows when to read it. */
async function untilReady(projectDir: string, child: ChildProcess, output: () => string): Promise<string> {
  const file = join(projectDir, ".signalbox/server.json");
  const giveUpAt = performance.now() + readyWithinMs;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service ended before it was ready:\n${output()}`);
    const announced = existsSync(file) ? announcedSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data : null;
    if (announced?.pid === child.pid && announced?.url) return announced.url;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  if (child.pid && isRunning(child.pid)) process.kill(-child.pid, "SIGKILL");
  throw new Error(`The service was not ready within ${readyWithinMs / 1000} s:\n${output()}`);
}
