import { readdirSync, readFileSync } from "node:fs";

/** Whether it still runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Whether it is stopped by a signal or a tracer. */
export function isStopped(pid: number): boolean {
  return /^[Tt]$/.test(statOf(pid)?.state ?? "");
}

/** The children of a process that run this program (`receiver`, `web` or `worker`), oldest first. */
export function childrenOf(parent: number, program: "receiver" | "web" | "worker"): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 &&
        statOf(pid)?.parent === parent &&
        isRunning(pid) &&
        read(`/proc/${pid}/cmdline`)?.includes(`/dist/${program}.js`),
    )
    .sort((a, b) => a - b);
}

/** The processes of a group that still run. */
export function membersOf(group: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)?.group === group && isRunning(pid));
}

function statOf(pid: number): { state: string; parent: number; group: number } | null {
  // After the name, which may contain anything: state, parent, group, …
  const [state, parent, group] = read(`/proc/${pid}/stat`)?.split(") ").at(-1)?.split(" ") ?? [];
  return state === undefined ? null : { state, parent: Number(parent), group: Number(group) };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
