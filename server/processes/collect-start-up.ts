import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookEveryMs = 2_000;
/** The share of the time in which the event loop did something. */
const mostBusy = 0.02;

/**
 * Has the garbage of starting up collected once, as soon as there is nothing to do. V8 does so only when more memory is
 * asked for, which an idle process does not do for hours: it would keep what it needed for loading its code.
 */
export function collectStartUp(): void {
  let before = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > mostBusy) return;
    clearInterval(looking);
    collect();
  }, lookEveryMs).unref();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  // Of this kind, so that what was emptied is given back to the system.
  if (typeof gc === "function") gc({ type: "major", flavor: "last-resort" });
}
