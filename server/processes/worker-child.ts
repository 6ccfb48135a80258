import { fork } from "node:child_process";
import { join } from "node:path";
import { childEnvironment, pickEnvironment } from "../config.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import { entryFile } from "../paths.ts";
import type { ProcessStart, SupervisorToWorker, WorkerToSupervisor } from "./protocol.ts";
import { type ChildPulse, followPulse } from "./child-pulse.ts";
import { isFault } from "./is-fault.ts";
import { readWorkerNeeds } from "./worker-environment.ts";
import { once } from "./once.ts";

export interface WorkerChildOptions {
  start: ProcessStart & { workerId: string; pool: "shared" | "isolated" };
  env: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  onMessage: (message: WorkerToSupervisor) => void;
  onExit: (death: WorkerDeath) => void;
}

/** A worker process as the supervisor has it. */
export interface WorkerChild extends ChildPulse {
  readonly workerId: string;
  readonly pool: "shared" | "isolated";
  readonly pid: number;
  readonly startedAt: number;
  /** Monotonic milliseconds of the last change of `active`. */
  changedAt(): number;
  active(): readonly { runId: string; deadlineAt: number }[];
  rssBytes(): number;
  isReady(): boolean;
  /** Monotonic milliseconds; `null` before it is ready. */
  readyAt(): number | null;
  send(message: SupervisorToWorker): void;
  /** Has it take nothing new; resolves when it says so, or has ended. A process that is blocked takes its time. */
  hold(): Promise<void>;
  /** SIGKILL; `death` is what its runs are told. */
  kill(death: WorkerDeath): void;
  readonly exited: Promise<void>;
}

export function forkWorker(options: WorkerChildOptions): WorkerChild {
  const { start, memoryMb } = options;
  const child = fork(entryFile("worker"), [], {
    // User code finds its files from the project's folder, wherever the command was given.
    cwd: start.projectDir,
    env: childEnvironment(start, pickEnvironment(readWorkerNeeds(join(start.projectDir, ".signalbox")), options.env)),
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // The last one is the pipe of its watching thread (blockReportFd).
    // What the project prints goes to stderr: stdout is for the command's own results, which may be JSON.
    stdio: ["ignore", 2, 2, "ipc", "pipe"],
  });
  const exited = Promise.withResolvers<void>();
  const pulse = followPulse(child);
  const startedAt = performance.now();
  let active: readonly { runId: string; deadlineAt: number }[] = [];
  let changedAt = startedAt;
  let rssBytes = 0;
  let readyAt: number | null = null;
  let failure: string | null = null;
  let givenDeath: WorkerDeath | null = null;
  let held = Promise.withResolvers<void>();

  child.on("message", (message: WorkerToSupervisor) => {
    if (message.type === "ready") changedAt = readyAt = performance.now();
    if (message.type === "failed") failure = message.message;
    if (message.type === "held") held.resolve();
    if (message.type === "heartbeat") {
      if (message.active.length !== active.length) changedAt = performance.now();
      ({ active, rssBytes } = message);
    }
    options.onMessage(message);
  });
  // A message to a child that is just ending.
  child.on("error", () => {});
  const end = once((code: number | null, signal: string | null) => {
    exited.resolve();
    options.onExit(givenDeath ?? describeExit({ code, signal, failure, memoryMb }));
  });
  child.on("exit", (code, signal) => {
    // Its last words may still be on the way.
    if (!child.connected) return end(code, signal);
    child.once("disconnect", () => end(code, signal));
    setTimeout(() => end(code, signal), lastWordsMs);
  });
  if (child.pid === undefined) setImmediate(() => end(1, null));

  return {
    workerId: start.workerId,
    pool: start.pool,
    pid: child.pid ?? -1,
    startedAt,
    ...pulse,
    changedAt: () => changedAt,
    active: () => active,
    rssBytes: () => rssBytes,
    isReady: () => readyAt !== null,
    readyAt: () => readyAt,
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    hold() {
      held = Promise.withResolvers<void>();
      this.send({ type: "hold" });
      return Promise.race([held.promise, exited.promise]);
    },
    kill(death) {
      givenDeath ??= death;
      child.kill("SIGKILL");
    },
    exited: exited.promise,
  };
}

const lastWordsMs = 500;

function describeExit(p: {
  code: number | null;
  signal: string | null;
  failure: string | null;
  memoryMb: number;
}): WorkerDeath {
  const { code, signal, failure } = p;
  // V8 aborts when its heap is full; 134 is what a shell makes of that signal.
  if (signal === "SIGABRT" || signal === "SIGTRAP" || code === 134) {
    return {
      kind: "crashed",
      how: `ran out of memory: its objects used more than ${p.memoryMb} MiB (workerMemoryMb). Use less memory, or raise workerMemoryMb`,
    };
  }
  if (signal !== null)
    return isFault(signal) ? { kind: "crashed", how: `crashed (${signal})` } : { kind: "killed", signal };
  if (failure !== null) return { kind: "crashed", how: failure };
  // It goes by itself only after its runs have ended or were handed back.
  if (code === 0) return { kind: "requested" };
  return { kind: "crashed", how: `ended with exit code ${code}` };
}
