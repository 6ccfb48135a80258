import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { processTree, roleOf } from "../service/process-tree.ts";
import type { Side } from "./side.ts";

/**
 * The resources that a side used per second. CPU is a share of one core: of the busiest process of its kind, and of all
 * together.
 */
export interface Effort {
  busiest: Record<Kind, number>;
  total: Record<Kind, number>;
  commits: number | null;
  flushes: number | null;
  /** CPU of the whole machine, by any process: 1 is all cores. */
  machine: number;
}

const kinds = ["receiver", "web", "worker", "supervisor", "postgres"] as const;
type Kind = (typeof kinds)[number];

interface Reading {
  at: number;
  cpuMs: Map<number, { kind: Kind; ms: number }>;
  commits: number | null;
  flushes: number | null;
  idleMs: number;
}

/** Returns a function that returns the resources used since. */
export async function watchEffort(side: Side): Promise<() => Promise<Effort>> {
  const before = await read(side);
  return async () => compare(before, await read(side));
}

async function read({ pids, reader }: Side): Promise<Reading> {
  const commits = await reader.commits();
  const service = processTree(pids.service).map(({ pid, cpuMs }) => [pid, { kind: kindOf(pid), ms: cpuMs }] as const);
  const database =
    pids.database === undefined
      ? []
      : processTree(pids.database).map(({ pid, cpuMs }) => [pid, { kind: "postgres" as const, ms: cpuMs }] as const);
  return {
    at: performance.now(),
    cpuMs: new Map([...service, ...database]),
    commits,
    flushes: countFlushes(),
    idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0),
  };
}

function kindOf(pid: number): Kind {
  const role = roleOf(pid);
  return kinds.find((kind) => kind === role) ?? "supervisor";
}

function compare(before: Reading, after: Reading): Effort {
  const ms = after.at - before.at;
  const used = [...after.cpuMs].map(([pid, now]) => ({
    kind: now.kind,
    part: (now.ms - (before.cpuMs.get(pid)?.ms ?? 0)) / ms,
  }));
  const of = (kind: Kind) => used.filter((one) => one.kind === kind).map(({ part }) => part);
  const each = (sum: (parts: number[]) => number): Record<Kind, number> => ({
    receiver: sum(of("receiver")),
    web: sum(of("web")),
    worker: sum(of("worker")),
    supervisor: sum(of("supervisor")),
    postgres: sum(of("postgres")),
  });
  const rate = (from: number | null, to: number | null) =>
    from === null || to === null ? null : ((to - from) / ms) * 1000;
  return {
    busiest: each((parts) => Math.max(0, ...parts)),
    total: each((parts) => parts.reduce((sum, part) => sum + part, 0)),
    commits: rate(before.commits, after.commits),
    flushes: rate(before.flushes, after.flushes),
    machine: 1 - (after.idleMs - before.idleMs) / (ms * cpus().length),
  };
}

/** The number of flushes of the disk below the temporary folder, by any process. `null`: the system does not count them. */
function countFlushes(): number | null {
  try {
    const device = execFileSync("df", ["-P", tmpdir()], { encoding: "utf8" })
      .split("\n")[1]
      ?.split(/\s+/)[0]
      ?.replace("/dev/", "");
    const fields = readFileSync("/proc/diskstats", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .find((line) => line[2] === device);
    return fields?.[18] === undefined ? null : Number(fields[18]);
  } catch {
    return null;
  }
}

/** The resources of each in one line, and the limiting one. */
export function describeEffort(effort: Effort): string {
  const parts = kinds
    .filter((kind) => effort.total[kind] >= 0.005)
    .map((kind) => `${kind} ${effort.total[kind].toFixed(2)}`);
  const counts = [
    effort.commits === null ? "" : `${Math.round(effort.commits)} commits/s`,
    effort.flushes === null ? "" : `${Math.round(effort.flushes)} flushes/s`,
  ].filter(Boolean);
  return `${nameLimit(effort)}: ${[`cores: ${parts.join(", ")}`, `${Math.round(effort.machine * 100)} % of all cores are busy`, ...counts].join("; ")}`;
}

/** The resource that was nearly exhausted, or else the one that was waited for. */
function nameLimit({ busiest, machine }: Effort): string {
  const busy = kinds.filter((kind) => busiest[kind] >= 0.85);
  if (busy.length > 0) return `the loop of one ${busy.join(" and one ")} process`;
  return machine >= 0.9 ? "all cores" : "waiting (the disk, each other)";
}
