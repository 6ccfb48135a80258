import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cleanEnvironment, stopProcess } from "../service/signalbox-service.ts";

/** Starts a program of a peer in its own folder. Its output is written to `<name>.log` there. It ends with this process. */
export function startPeerProcess(p: {
  program: string;
  args: string[];
  folder: string;
  name: string;
  env?: Record<string, string>;
}): { child: ChildProcess; close(): Promise<void> } {
  const log = openSync(join(p.folder, `${p.name}.log`), "a");
  const child = spawn(p.program, p.args, {
    cwd: p.folder,
    env: { ...cleanEnvironment(), ...p.env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    child,
    async close() {
      process.off("exit", kill);
      await stopProcess(child);
    },
  };
}

/** Polls every 100 ms until the condition is true. Throws after the timeout. */
export async function untilAnswers(p: { what: string; withinMs: number; ask: () => Promise<boolean> }): Promise<void> {
  const deadline = performance.now() + p.withinMs;
  while (!(await p.ask().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${p.what} did not answer within ${p.withinMs / 1000} s`);
    await delay(100);
  }
}
