import { fork } from "node:child_process";
import { join } from "node:path";
import type { ActiveRun } from "../../engine/worker-loop.ts";
import type { WorkerDeath } from "../../engine/plan-lost-runs.ts";
import { entryFile } from "../../paths.ts";
import { type ChildLiveness, watchLiveness } from "../event-loop/child-liveness.ts";
import { isFault } from "./is-fault.ts";
import { once } from "../../domain/event-loop.ts";
import { containsWord, placeholderFor } from "../../project/verification-secrets.ts";
import type { ProcessStart, SupervisorToWorker, WorkerToSupervisor } from "../protocol.ts";
import { childEnvironment, type KeptEnvironment, pickEnvironment, readKeptEnvironments } from "../child-environment.ts";

/** For sealing keys, for signing in and for sending alerts: workers do none of it. */
const serviceVariables = /^SIGNALBOX_(SECRET|ENCRYPTION_.+|OIDC_.+|ALERT_.+)$/;
/** The store's address and the token of commands. Workers use neither, but a workflow may name such a variable. */
const keptIfNamed: ReadonlySet<string> = new Set([
  "SIGNALBOX_DATABASE_URL",
  "SIGNALBOX_DATABASE_DIRECT_URL",
  "SIGNALBOX_TOKEN",
]);

export interface WorkerChildOptions {
  start: ProcessStart & Required<Pick<ProcessStart, "workerId" | "pool" | "runs">>;
  env: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  onMessage: (message: WorkerToSupervisor) => void;
  /** See `watchLiveness`. */
  onAlive: (isResponsive: boolean) => void;
  onExit: (death: WorkerDeath) => void;
}

/** A worker process, as its parent sees it. */
export interface WorkerChild extends ChildLiveness {
  readonly workerId: string;
  readonly pool: "shared" | "isolated";
  readonly pid: number;
  readonly startedAt: number;
  /** Monotonic milliseconds of the last change of `active`. */
  changedAt(): number;
  active(): readonly ActiveRun[];
  /** The number of further runs that it has. */
  others(): number;
  rssBytes(): number;
  isReady(): boolean;
  /** Monotonic milliseconds; `null` before it is ready. */
  readyAt(): number | null;
  send(message: SupervisorToWorker): void;
  /** Sends SIGKILL. `death`: the cause that is reported to its runs. */
  kill(death: WorkerDeath): void;
  readonly exited: Promise<void>;
}

export function forkWorker(options: WorkerChildOptions): WorkerChild {
  const { start, memoryMb } = options;
  const child = fork(entryFile("worker"), [], {
    // User code finds its files from the project's folder, regardless of the folder in which the command was started.
    cwd: start.projectDir,
    env: childEnvironment(start, workerEnvironment(join(start.projectDir, ".signalbox"), options.env)),
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // The last entry is the pipe of the watcher thread (blockReportFd).
    // Output of the project goes to stderr: stdout is for the command's own results, which may be JSON.
    stdio: ["ignore", 2, 2, "ipc", "pipe"],
  });
  const exited = Promise.withResolvers<void>();
  const liveness = watchLiveness(child, options.onAlive);
  const startedAt = performance.now();
  let active: readonly ActiveRun[] = [];
  let others = 0;
  let changedAt = startedAt;
  let rssBytes = 0;
  let readyAt: number | null = null;
  let failure: string | null = null;
  let givenDeath: WorkerDeath | null = null;

  child.on("message", (message: WorkerToSupervisor) => {
    if (message.type === "ready") changedAt = readyAt = performance.now();
    if (message.type === "failed") failure = message.message;
    if (message.type === "heartbeat") {
      if (message.active.length !== active.length) changedAt = performance.now();
      ({ active, others, rssBytes } = message);
    }
    options.onMessage(message);
  });
  // A message cannot be sent to a child that is exiting.
  child.on("error", () => {});
  const end = once((code: number | null, signal: string | null) => {
    exited.resolve();
    options.onExit(givenDeath ?? describeExit({ code, signal, failure, memoryMb }));
  });
  child.on("exit", (code, signal) => {
    // Its last messages may not have been received yet.
    if (!child.connected) return end(code, signal);
    child.once("disconnect", () => end(code, signal));
    setTimeout(() => end(code, signal), lastMessagesMs);
  });
  if (child.pid === undefined) setImmediate(() => end(1, null));

  return {
    workerId: start.workerId,
    pool: start.pool,
    pid: child.pid ?? -1,
    startedAt,
    ...liveness,
    changedAt: () => changedAt,
    active: () => active,
    others: () => others,
    rssBytes: () => rssBytes,
    isReady: () => readyAt !== null,
    readyAt: () => readyAt,
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    kill(death) {
      givenDeath ??= death;
      child.kill("SIGKILL");
    },
    exited: exited.promise,
  };
}

const lastMessagesMs = 500;

function describeExit(p: {
  code: number | null;
  signal: string | null;
  failure: string | null;
  memoryMb: number;
}): WorkerDeath {
  const { code, signal, failure } = p;
  // V8 aborts when its heap is full. A shell reports that signal as exit code 134.
  if (signal === "SIGABRT" || signal === "SIGTRAP" || code === 134) {
    return {
      kind: "crashed",
      how: `ran out of memory: its objects used more than ${p.memoryMb} MiB (workerMemoryMb). Use less memory, or raise workerMemoryMb`,
    };
  }
  if (signal !== null)
    return isFault(signal) ? { kind: "crashed", how: `crashed (${signal})` } : { kind: "killed", signal };
  if (failure !== null) return { kind: "crashed", how: failure };
  // A worker exits with code 0 only after its runs have ended or returned to the queue.
  if (code === 0) return { kind: "requested" };
  return { kind: "crashed", how: `ended with exit code ${code}` };
}

/**
 * The environment of a worker, according to the builds that it may execute. Excluded are the variables of the service,
 * of its store and of commands, and the secrets that the project's code uses only to verify webhooks: workers verify
 * nothing. A secret that the code expects has a placeholder.
 */
export function workerEnvironment(stateDir: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const builds = readKeptEnvironments(stateDir);
  const secrets = builds.flatMap((build) => build.secrets);
  const hidden = new Set(
    secrets.map(({ name }) => name).filter((name) => builds.every((build) => isUnreadIn(build, name))),
  );
  const isNamed = (name: string) => builds.some(({ reads }) => reads.includes(name));
  const picked = pickEnvironment(
    (name) => !serviceVariables.test(name) && !hidden.has(name) && (!keptIfNamed.has(name) || isNamed(name)),
    env,
  );
  for (const { name, isExpected } of secrets)
    if (isExpected && hidden.has(name) && env[name]) picked[name] = placeholderFor(env[name]);
  return picked;
}

/** Whether the code of a build only verifies with the variable, or does not know it. */
function isUnreadIn({ secrets, readsAny, readCode }: KeptEnvironment, name: string): boolean {
  const secret = secrets.find((one) => one.name === name);
  return secret ? secret.isOnlyVerified : !readsAny && !readCode().some((code) => containsWord(code, name));
}
