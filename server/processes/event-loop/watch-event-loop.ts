import { Worker } from "node:worker_threads";
import { entryFile } from "../../paths.ts";
import { diskActivity, diskOperations } from "../../domain/disk-operation.ts";
import { blockReportFd } from "./block-report.ts";
import type { WatcherData } from "./event-loop-watcher.ts";

/** Read at the start of this process: the supervisor may have ended before the thread starts. */
const { ppid } = process;
const currentRunKey = "signalbox.currentRun";
const beatMs = 250;

/**
 * Starts a thread that inspects the main thread when its event loop has been blocked for `inspectAfterMs`. It finds the
 * run whose code is executing, and the stack. A blocked main thread cannot report this itself, so the thread pauses it
 * for an instant through the inspector (in the process: no port is opened). It writes a report to the supervisor's pipe
 * once a second.
 *
 * An empty line shows that the process is alive, even if code that is not JavaScript blocks it and there is nothing to
 * inspect: a stopped process writes nothing. The thread also ends a process whose supervisor has been gone for
 * `orphanAfterMs`: a blocked event loop does not notice it. `currentRunId`: the run whose code is executing. Default:
 * none.
 */
export function watchEventLoop({
  inspectAfterMs = 1_000,
  orphanAfterMs = 5_000,
  currentRunId = (): string | null => null,
} = {}): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
  Object.assign(globalThis, { [Symbol.for(currentRunKey)]: currentRunId });
  const data: WatcherData = {
    beats,
    beatMs,
    inspectAfter: inspectAfterMs / beatMs,
    orphanAfter: orphanAfterMs / beatMs,
    ppid,
    fd: blockReportFd,
    currentRunKey,
    diskActivity,
    diskOperations,
  };
  const thread = new Worker(entryFile("event-loop-watcher"), {
    name: "signalbox-watch",
    workerData: data,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  // Without the thread, the supervisor still ends a blocked process, but does not know which run blocked it.
  thread.on("error", () => {});
  thread.unref();
}
