import { readFileSync, readdirSync } from "node:fs";

/** Of Linux's /proc: a clock tick is a hundredth of a second on every machine that Node runs on. */
const tickMs = 10;

interface ProcessStat {
  pid: number;
  parent: number;
  cpuMs: number;
}

/** A process and all that it started, directly or not. Empty where there is no /proc. */
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

/** CPU time of a process and all that it started, in milliseconds. */
export function cpuMsOf(root: number | undefined): number {
  return processTree(root).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/**
 * Resident megabytes of the processes of a service that run `receiver`, `web` or `worker`, or of a server of the bench,
 * of the largest where there are several. NaN where there is no /proc.
 */
export function residentMb(root: number | undefined, program: "receiver" | "web" | "worker" | "plain"): number {
  const sizes = processTree(root).flatMap(({ pid }) => {
    const isIt = new RegExp(`/(dist|processes|servers)/${program}\\.[jt]s`).test(read(pid, "cmdline"));
    return isIt ? Number(/VmRSS:\s+(\d+)/.exec(read(pid, "status"))?.[1]) / 1024 : [];
  });
  return sizes.length === 0 ? Number.NaN : Math.max(...sizes);
}

/** Which program of ours, by its file: `receiver`, `web`, `worker`, or what the command line is. */
export function programOf(pid: number): string | null {
  return /\/(?:dist|processes|servers|cli)\/([a-z-]+)\.[cm]?[jt]s/.exec(read(pid, "cmdline"))?.[1] ?? null;
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
