import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const laterMs = 2_000;

/**
 * Has the garbage of starting up collected once, a moment after it is over. V8 does so only when more memory is asked for, which an idle process
 * does not do for hours: it would keep what it needed for loading its code.
 */
export function collectStartUp(): void {
  setTimeout(() => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    // Of this kind, so that what was emptied is given back to the system.
    if (typeof collect === "function") collect({ type: "major", flavor: "last-resort" });
  }, laterMs).unref();
}
