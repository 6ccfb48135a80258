import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Of Linux's /proc: a clock tick is a hundredth of a second on every machine that Node runs on. */
const tickMs = 10;

interface ProcessStat {
  pid: number;
  parent: number;
  cpuMs: number;
}

/** A process and its descendants. Empty without /proc. */
export function processTree(root: number | undefined): ProcessStat[] {
  const all = listProcesses();
  const family = new Set([root]);
  // A child may have a lower number than its parent, so once is not enough.
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid));
}

/** CPU time of a process and its descendants, in milliseconds. */
export function cpuMsOf(root: number | undefined): number {
  return processTree(root).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

const restCheckMs = 500;
const maxRestCpu = 0.05;
const maxRestWaitMs = 30_000;

/**
 * Waits until a process and its descendants use less than a twentieth of a core for some time, at most half a minute.
 * Work after their responses must not slow the next measured side.
 */
export async function untilAtRest(root: number | undefined, { forMs = restCheckMs } = {}): Promise<void> {
  const deadline = performance.now() + maxRestWaitMs;
  for (let isAtRest = false; !isAtRest && performance.now() < deadline;) {
    const before = { at: performance.now(), cpuMs: cpuMsOf(root) };
    await delay(forMs);
    isAtRest = (cpuMsOf(root) - before.cpuMs) / (performance.now() - before.at) < maxRestCpu;
  }
}

/**
 * Resident megabytes of a process and its descendants, summed by role. Memory that processes share counts for each
 * of them. Empty without /proc.
 */
export function residentByRole(root: number | undefined): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { pid } of processTree(root)) {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(read(pid, "status"))?.[1] ?? 0);
    const role = roleOf(pid);
    sizes.set(role, (sizes.get(role) ?? 0) + kilobytes / 1024);
  }
  return sizes;
}

/**
 * The role of a process of a service, by the file that it runs: `web`, `worker`. The one that runs the command line is
 * the supervisor.
 */
export function roleOf(pid: number): string {
  const file = /\/(?:dist|processes|servers)\/([a-z-]+)\.[cm]?[jt]s/.exec(read(pid, "cmdline"))?.[1];
  return file === undefined || file === "cli" ? "supervisor" : file;
}

function listProcesses(): ProcessStat[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readStat(Number(name)));
  } catch {
    return [];
  }
}

function readStat(pid: number): ProcessStat[] {
  // The name of the program is in brackets, and may contain spaces.
  const fields = read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  return fields.length < 13
    ? []
    : [{ pid, parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs }];
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}
