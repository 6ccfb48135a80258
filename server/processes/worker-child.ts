import { type ChildProcess, fork } from "node:child_process";
import { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { childEnvironment } from "../config.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import { entryFile } from "../paths.ts";
import type { ProcessStart, SupervisorToWorker, WorkerToSupervisor } from "./protocol.ts";
import { type BlockReport, parseBlockReport } from "./block-report.ts";

export interface WorkerChildOptions {
  start: ProcessStart & { workerId: string; pool: "shared" | "isolated" };
  env: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  onMessage: (message: WorkerToSupervisor) => void;
  onExit: (death: WorkerDeath) => void;
}

/** A worker process as the supervisor has it. */
export interface WorkerChild {
  readonly workerId: string;
  readonly pool: "shared" | "isolated";
  readonly pid: number;
  readonly startedAt: number;
  /** Monotonic milliseconds of its last sign of life. */
  heardAt(): number;
  /** The same, counting what its watching thread says while the event loop is blocked: a process that was stopped says nothing at all. */
  livedAt(): number;
  /** Monotonic milliseconds of the last change of `active`. */
  changedAt(): number;
  active(): readonly { runId: string; deadlineAt: number }[];
  rssBytes(): number;
  isReady(): boolean;
  /** What its watching thread saw since the last heartbeat, the newest last. */
  blockReports(): readonly BlockReport[];
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
    env: childEnvironment(start, options.env),
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // The last one is the pipe of its watching thread (blockReportFd).
    // What the project prints goes to stderr: stdout is for the command's own results, which may be JSON.
    stdio: ["ignore", 2, 2, "ipc", "pipe"],
  });
  const exited = Promise.withResolvers<void>();
  let heardAt = performance.now();
  let livedAt = heardAt;
  let active: readonly { runId: string; deadlineAt: number }[] = [];
  let changedAt = heardAt;
  let rssBytes = 0;
  let isReady = false;
  let failure: string | null = null;
  let givenDeath: WorkerDeath | null = null;
  let reports: BlockReport[] = [];
  let held = Promise.withResolvers<void>();

  child.on("message", (message: WorkerToSupervisor) => {
    heardAt = performance.now();
    livedAt = heardAt;
    reports = [];
    if (message.type === "ready") {
      isReady = true;
      changedAt = heardAt;
    }
    if (message.type === "failed") failure = message.message;
    if (message.type === "held") held.resolve();
    if (message.type === "heartbeat") {
      if (message.active.length !== active.length) changedAt = heardAt;
      ({ active, rssBytes } = message);
    }
    options.onMessage(message);
  });
  // A message to a child that is just ending.
  child.on("error", () => {});
  readLines(child, (line) => {
    livedAt = performance.now();
    const report = parseBlockReport(line);
    if (report) reports.push(report);
  });
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
    startedAt: performance.now(),
    heardAt: () => heardAt,
    livedAt: () => livedAt,
    changedAt: () => changedAt,
    active: () => active,
    rssBytes: () => rssBytes,
    isReady: () => isReady,
    blockReports: () => reports,
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

/** Signals by which a process ends itself, or the system ends it for what its own code did. */
const faults: ReadonlySet<string> = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS"]);

function describeExit(p: { code: number | null; signal: string | null; failure: string | null; memoryMb: number }): WorkerDeath {
  const { code, signal, failure } = p;
  // V8 aborts when its heap is full; 134 is what a shell makes of that signal.
  if (signal === "SIGABRT" || signal === "SIGTRAP" || code === 134) {
    return { kind: "crashed", how: `ran out of memory: it held more than ${p.memoryMb} MiB of objects (workerMemoryMb). Hold less at once, or give workers more` };
  }
  if (signal !== null) return faults.has(signal) ? { kind: "crashed", how: `crashed (${signal})` } : { kind: "killed", signal };
  if (failure !== null) return { kind: "crashed", how: failure };
  // It goes by itself only after its runs have ended or were handed back.
  if (code === 0) return { kind: "requested" };
  return { kind: "crashed", how: `ended with exit code ${code}` };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  const pipe = child.stdio[4];
  if (!(pipe instanceof Readable)) return;
  pipe.on("error", () => {});
  createInterface({ input: pipe }).on("line", onLine).on("error", () => {});
}

function once<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    action(...args);
  };
}
