import { Worker } from "node:worker_threads";
import { currentScope } from "../engine/run-scope.ts";
import { blockReportFd } from "./block-report.ts";

/** As this process began: the supervisor may be gone before the thread is there. */
const { ppid } = process;
const currentRunKey = "signalbox.currentRun";
const beatMs = 250;

/**
 * Starts a thread that looks at the main thread when its event loop has been blocked for `lookAfterMs`: which run's
 * code is executing, and where. The main thread cannot say so itself then, so the thread pauses it for an instant
 * through the inspector (in the process: no port is opened) and writes what it saw to the supervisor's pipe, once a
 * second. An empty line says that the process lives, also where code that is not JavaScript blocks it and nothing can
 * be seen: a process that was stopped is silent. It also ends a process that should have left long since, because its
 * supervisor is gone: a blocked loop does not hear of that, and nobody else is left to end it.
 */
export function watchEventLoop({ lookAfterMs = 1_000, orphanAfterMs = 5_000 } = {}): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
  Object.assign(globalThis, { [Symbol.for(currentRunKey)]: () => currentScope()?.run.runId ?? null });
  const thread = new Worker(threadCode, {
    eval: true,
    name: "signalbox-watch",
    workerData: {
      beats,
      ppid,
      fd: blockReportFd,
      key: currentRunKey,
      lookAfter: lookAfterMs / beatMs,
      orphanAfter: orphanAfterMs / beatMs,
    },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  // Without it a blocked loop is still ended, only nobody is named.
  thread.on("error", () => {});
  thread.unref();
}

/** Plain JavaScript: the thread must not need a file of its own. */
const threadCode = `
const { workerData: { beats, ppid, fd, key, lookAfter, orphanAfter } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const { Session } = require("node:inspector");
let seen = -1;
let missed = 0;
let isLooking = false;
let orphaned = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === seen ? missed + 1 : 0;
  seen = now;
  orphaned = process.ppid === ppid ? 0 : orphaned + 1;
  if (orphaned >= orphanAfter) process.kill(process.pid, "SIGKILL");
  if (missed < 4 || missed % 4 !== 0) return;
  write("");
  if (missed >= lookAfter && !isLooking) look();
}, ${beatMs});

function write(line) {
  try { writeSync(fd, line + "\\n"); } catch {}
}

function look() {
  isLooking = true;
  const session = new Session();
  session.connectToMainThread();
  const leave = () => session.post("Debugger.resume", () => session.post("Debugger.disable", () => { session.disconnect(); isLooking = false; }));
  session.once("Debugger.paused", ({ params }) => {
    const frames = params.callFrames;
    const stack = frames.slice(0, 20).map((f) => "    at " + (f.functionName || "<anonymous>") + " (" + f.url + ":" + (f.location.lineNumber + 1) + ":" + ((f.location.columnNumber ?? 0) + 1) + ")").join("\\n");
    const callFrameId = frames[0] && frames[0].callFrameId;
    const expression = "globalThis[Symbol.for(" + JSON.stringify(key) + ")]()";
    session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression, returnByValue: true, silent: true }, (error, answer) => {
      const runId = error || typeof answer.result.value !== "string" ? null : answer.result.value;
      write(JSON.stringify({ runId, stack }));
      leave();
    });
  });
  session.post("Debugger.enable", () => session.post("Debugger.pause"));
}
`;
