import { writeSync } from "node:fs";
import { type Debugger, Session } from "node:inspector";
import { workerData } from "node:worker_threads";

/** The thread that `watchEventLoop` starts. It imports nothing but Node's own modules: each process loads it. */
export interface WatcherData {
  /** Grows while the main thread's event loop turns. */
  beats: Int32Array;
  beatMs: number;
  /** In beats. */
  inspectAfter: number;
  orphanAfter: number;
  ppid: number;
  /** The pipe to the supervisor. */
  fd: number;
  /** `globalThis[Symbol.for(currentRunKey)]()` in the main thread returns the id of the run whose code is executing. */
  currentRunKey: string;
  /** See `diskActivity`. */
  diskActivity: Int32Array;
  /** Their names, from 1. */
  diskOperations: readonly string[];
}

const { beats, beatMs, inspectAfter, orphanAfter, ppid, fd, currentRunKey, diskActivity, diskOperations } =
  workerData as WatcherData;
const beatsPerSecond = 1_000 / beatMs;
let seen = -1;
let missed = 0;
let orphaned = 0;
let isInspecting = false;
let begun = -1;
let begunBefore = 0;

setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === seen ? missed + 1 : 0;
  seen = now;
  orphaned = process.ppid === ppid ? 0 : orphaned + 1;
  if (orphaned >= orphanAfter) process.kill(process.pid, "SIGKILL");
  const operations = Atomics.load(diskActivity, 1);
  begunBefore = operations === begun ? begunBefore + 1 : 0;
  begun = operations;
  if (missed < beatsPerSecond || missed % beatsPerSecond !== 0) return;
  const operation = diskOperations[Atomics.load(diskActivity, 0) - 1];
  const waitedMs = Math.min(begunBefore, missed) * beatMs;
  write(operation !== undefined && waitedMs >= 1_000 ? JSON.stringify({ waitingFor: operation, waitedMs }) : "");
  if (missed >= inspectAfter && !isInspecting) inspect();
}, beatMs);

function write(line: string): void {
  try {
    writeSync(fd, `${line}\n`);
  } catch {
    // The supervisor has ended: `orphaned` counts that.
  }
}

/** Pauses the main thread, reports where it is, and resumes it. */
function inspect(): void {
  isInspecting = true;
  const session = new Session();
  session.connectToMainThread();
  session.once("Debugger.paused", ({ params: { callFrames } }) => {
    const stack = callFrames.slice(0, 20).map(formatFrame).join("\n");
    const evaluation = {
      callFrameId: callFrames[0]?.callFrameId ?? "",
      expression: `globalThis[Symbol.for(${JSON.stringify(currentRunKey)})]()`,
      returnByValue: true,
      silent: true,
    };
    type Evaluated = Debugger.EvaluateOnCallFrameReturnType;
    session.post("Debugger.evaluateOnCallFrame", evaluation, (error: Error | null, evaluated: Evaluated) => {
      const runId: unknown = error ? null : evaluated.result.value;
      write(JSON.stringify({ runId: typeof runId === "string" ? runId : null, stack }));
      session.post("Debugger.resume", () =>
        session.post("Debugger.disable", () => {
          session.disconnect();
          isInspecting = false;
        }),
      );
    });
  });
  session.post("Debugger.enable", () => session.post("Debugger.pause"));
}

function formatFrame({ functionName, url, location }: Debugger.CallFrame): string {
  return `    at ${functionName || "<anonymous>"} (${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`;
}
