import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { processTree } from "../service/process-tree.ts";

/**
 * The resources of the service at one moment. Memory is resident, in MiB. `pss` divides shared memory among the
 * processes.
 */
export interface Sample {
  minute: number;
  processes: { name: string; pid: number; rssMb: number; pssMb: number; descriptors: number }[];
  walMb: number;
  databaseMb: number;
  /** Runs that have not ended. */
  openRuns: number;
}

/** The supervisor of the service, and each process that it started. */
export function sampleProcesses(supervisor: number): Sample["processes"] {
  return processTree(supervisor).flatMap(({ pid }) => {
    try {
      return [describeProcess(pid)];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

export function sizeMb(file: string): number {
  return existsSync(file) ? statSync(file).size / 2 ** 20 : 0;
}

function describeProcess(pid: number): Sample["processes"][number] {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
  const name =
    /\b(receiver|web|worker)\.(?:ts|js)/.exec(commandLine)?.[1] ??
    (/\bcli|main\.ts/.test(commandLine) ? "supervisor" : "other");
  const folder = join("/proc", String(pid));
  return {
    name,
    pid,
    rssMb: kilobytes(readFileSync(join(folder, "status"), "utf8"), "VmRSS") / 1024,
    pssMb: kilobytes(readFileSync(join(folder, "smaps_rollup"), "utf8"), "Pss") / 1024,
    descriptors: readdirSync(join(folder, "fd")).length,
  };
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
}
