import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installMissing } from "../../scripts/test-tools.ts";

/** The system calls with which SQLite writes and flushes. */
export const diskCalls = "pwrite64,fsync,fdatasync";

/** Whether strace is installed and permitted. Installs it if it is missing. */
export function findOrInstallStrace(): boolean {
  if (process.platform !== "linux") return false;
  installMissing(["strace"]);
  return canTrace();
}

/** Some containers forbid its use. */
function canTrace(): boolean {
  return spawnSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" }).status === 0;
}

export interface Strace {
  /** Detaches from the process, if it still runs. */
  detach(): Promise<void>;
}

/** Resolves when every thread of the process is traced. */
export async function attachStrace(pid: number, args: readonly string[]): Promise<Strace> {
  const strace = spawn("strace", ["-f", "-p", String(pid), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(strace, "exit");
  const said: string[] = [];
  const attached = new Promise<void>((resolve, reject) => {
    createInterface({ input: strace.stderr }).on("line", (line) => {
      said.push(line);
      if (line.includes("attached")) resolve();
    });
    void exited.then(() => reject(new Error(`strace could not watch process ${pid}: ${said.join(" ")}`)));
  });
  await attached;
  return {
    async detach() {
      if (strace.exitCode === null && strace.signalCode === null) strace.kill("SIGINT");
      // After a kill of a stopped process, strace may wait for its last thread forever.
      const killer = setTimeout(() => strace.kill("SIGKILL"), 2_000);
      await exited;
      clearTimeout(killer);
    },
  };
}

/** Kills the process at its n-th call that writes to disk. */
export function killAtCall(pid: number, n: number): Promise<Strace> {
  return attachStrace(pid, [
    "-o",
    "/dev/null",
    "-e",
    `trace=${diskCalls}`,
    "-e",
    `inject=${diskCalls}:signal=SIGKILL:when=${n}`,
  ]);
}
