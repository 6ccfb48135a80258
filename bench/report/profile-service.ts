import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { processTree } from "../service/process-tree.ts";
import type { Service } from "../service/signalbox-service.ts";

/** The option that makes every process of a service listen for the signal that begins and ends its profile. */
export function profilingOptions(folder: string): string {
  const url = pathToFileURL(join(import.meta.dirname, "../service/profile-on-signal.ts"));
  url.searchParams.set("folder", folder);
  return `--import ${url.href}`;
}

/** One turn to warm up, then two under profile. Each process of the service writes `<pid>.cpuprofile` into the folder. */
export async function profileService(folder: string, service: Service, turn: () => Promise<unknown>): Promise<void> {
  const pids = processTree(service.child.pid).map(({ pid }) => pid);
  const signalAll = () => pids.forEach(signal);
  await turn();
  signalAll();
  await turn();
  await turn();
  signalAll();
  const deadline = performance.now() + 30_000;
  while (readdirSync(folder).length < pids.length && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    // A short-lived process of the service has ended.
  }
}
