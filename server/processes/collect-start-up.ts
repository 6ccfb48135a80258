import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const checkEveryMs = 2_000;
/**
 * The share of the time in which the event loop is busy. A receiver without webhooks needs half of it, one with 100 a
 * second twice as much: the collection stops them for 200 ms.
 */
const maxUtilization = 0.01;

/**
 * Collects the garbage of the start once, as soon as the process is idle. V8 collects only when more memory is
 * allocated, which an idle process does not do for hours: it would keep the memory that it needed to load its code.
 */
export function collectStartUp(): void {
  let before = performance.eventLoopUtilization();
  const checking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > maxUtilization) return;
    clearInterval(checking);
    collect();
  }, checkEveryMs).unref();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  // This kind of collection returns freed memory to the system.
  if (typeof gc === "function") gc({ type: "major", flavor: "last-resort" });
}
