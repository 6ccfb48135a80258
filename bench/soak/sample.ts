import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the service holds at one moment. Memory is resident, in MiB; `pss` shares out what processes have in common. */
export interface Sample {
  minute: number;
  processes: { name: string; pid: number; rssMb: number; pssMb: number; descriptors: number }[];
  walMb: number;
  databaseMb: number;
  /** Runs that have not ended. */
  openRuns: number;
}

/** Each process of the service, by the group that it is in. */
export function sampleProcesses(group: number): Sample["processes"] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return groupOf(name) === group ? [describeProcess(name)] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

export function sizeMb(file: string): number {
  return existsSync(file) ? statSync(file).size / 2 ** 20 : 0;
}

function groupOf(pid: string): number {
  // After the name, which may hold anything: state, parent, group, …
  return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[2]);
}

function describeProcess(pid: string): Sample["processes"][number] {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
  const name = /\bworker\.(?:ts|js)/.test(commandLine) ? "worker" : /\bweb\.(?:ts|js)/.test(commandLine) ? "web" : /\bcli|main\.ts/.test(commandLine) ? "supervisor" : "other";
  const folder = join("/proc", pid);
  return {
    name,
    pid: Number(pid),
    rssMb: kilobytes(readFileSync(join(folder, "status"), "utf8"), "VmRSS") / 1024,
    pssMb: kilobytes(readFileSync(join(folder, "smaps_rollup"), "utf8"), "Pss") / 1024,
    descriptors: readdirSync(join(folder, "fd")).length,
  };
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
}
