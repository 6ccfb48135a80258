import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { Flood, FloodResult } from "./flood-worker.ts";

/** Sends many requests at once, from a thread of its own. Resolves to their results. */
export function flood(workerData: Flood): Promise<FloodResult[]> {
  const worker = new Worker(new URL("./flood-worker.ts", import.meta.url), { workerData });
  onTestFinished(async () => void (await worker.terminate()));
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}
