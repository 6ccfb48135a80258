/**
 * Loaded into every process of the fuzzed service by `--import`. Collects the garbage of the process whenever a client
 * connects to its socket, and sends the memory that is still in use.
 */
import { Session } from "node:inspector/promises";
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import { memorySocketOf } from "./retained-memory.ts";

if (isMainThread)
  createServer((socket) => {
    socket.on("error", () => {});
    void measure().then((bytes) => socket.end(String(bytes)));
  })
    .listen(memorySocketOf(process.pid))
    .unref();

async function measure(): Promise<number> {
  const session = new Session();
  session.connect();
  // Finalizers run after the first collection. What they free is collected by the second one.
  for (let time = 0; time < 2; time += 1) {
    await session.post("HeapProfiler.collectGarbage");
    await nextTurn();
  }
  session.disconnect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
