import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../server/paths.ts";
import type { BenchProject } from "./bench-project.ts";

export type Process = "supervisor" | "receiver" | "web" | "worker";

/** `signalbox start` from the sources: the supervisor, web and the workers, as an operator has them. */
export interface BenchService {
  url: string;
  /** CPU seconds that the processes of each kind have used since they began, without those that have ended. */
  cpuSeconds(): Record<Process, number>;
  /** Resident megabytes, of the largest process of each kind. */
  rssMb(): Record<Process, number>;
  stop(): Promise<void>;
}

const readyWithinMs = 60_000;

export async function startBenchService(
  project: BenchProject,
  p: { workers?: number; env?: Record<string, string> } = {},
): Promise<BenchService> {
  const announced = join(project.dir, ".signalbox/server.json");
  const child = spawn(
    process.execPath,
    [join(packageRoot, "cli/main.ts"), "start", "--project", project.dir, "--port", "0"],
    {
      cwd: project.dir,
      env: { ...process.env, SIGNALBOX_HOST: "127.0.0.1", SIGNALBOX_WORKERS: String(p.workers ?? 1), ...p.env },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let messages = "";
  child.stderr.on("data", (chunk: Buffer) => (messages = (messages + chunk.toString()).slice(-2_000)));
  const kill = () => void child.kill("SIGTERM");
  process.once("exit", kill);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for (const giveUpAt = Date.now() + readyWithinMs; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const service = existsSync(announced)
      ? (JSON.parse(readFileSync(announced, "utf8")) as { pid: number; url: string })
      : null;
    if (service?.pid === child.pid && service) {
      return {
        url: service.url,
        cpuSeconds: () => sumBy(child.pid ?? 0, cpuSecondsOf, (a, b) => a + b),
        rssMb: () => sumBy(child.pid ?? 0, rssMbOf, Math.max),
        async stop() {
          kill();
          await exited;
          process.off("exit", kill);
        },
      };
    }
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`The service did not start:\n${messages}`);
  }
}

function sumBy(
  supervisor: number,
  measure: (pid: number) => number,
  join: (a: number, b: number) => number,
): Record<Process, number> {
  const sums = { supervisor: measure(supervisor), receiver: 0, web: 0, worker: 0 };
  for (const pid of readdirSync("/proc").map(Number)) {
    if (!(pid > 0) || Number(statOf(pid)[1]) !== supervisor) continue;
    const line = read(`/proc/${pid}/cmdline`);
    const kind = (["receiver", "web", "worker"] as const).find((name) => line.includes(`/processes/${name}/${name}.`));
    if (kind) sums[kind] = join(sums[kind], measure(pid));
  }
  return sums;
}

/** In hundredths, by the kernel's own count (USER_HZ is 100 on every Linux). */
function cpuSecondsOf(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) / 100;
}

function rssMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The fields after the name, which may contain anything: state, parent, … */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}
