import { fork } from "node:child_process";
import { join } from "node:path";
import * as schemes from "../../sdk/verify/index.ts";
import { childEnvironment, pickEnvironment } from "../config.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import { entryFile } from "../paths.ts";
import { type ChildPulse, followPulse } from "./child-pulse.ts";
import { isFault } from "./is-fault.ts";
import { once } from "./once.ts";
import type { ProcessStart, SupervisorToWorker, WorkerToSupervisor } from "./protocol.ts";
import { has, readBuiltCode, readsByMadeUpNames } from "./web-environment.ts";

/** For sealing keys and for signing in: workers do neither. */
const ofService = /^SIGNALBOX_(SECRET|OIDC_.+)$/;
/** The store's address, and the token of commands. Workers use neither, but a workflow may use a variable of this name. */
const onlyByName: ReadonlySet<string> = new Set(["DATABASE_URL", "SIGNALBOX_TOKEN"]);

const read = String.raw`process\.env(?:\.[\w$]+|\["[\w$]+"\])`;
const fallback = String.raw`(?:\s*(?:\?\?|\|\|)\s*"[^"\\\n]*")?`;
/**
 * `github({ secret: process.env.A })`, with a list, or behind `process.env.A ?`, as esbuild prints it. The condition
 * and the value of `secret` are captured.
 */
const verification = new RegExp(
  String.raw`(?:(${read})\s*(?:\?|&&)\s*)?\b(?:${Object.keys(schemes).join("|")})\d*\(\{(?:[^{}]|\{[^{}]*\})*?\bsecret:\s*(${read}|\[\s*${read}(?:\s*,\s*${read})*,?\s*\])${fallback}\s*[,}]`,
  "g",
);

export interface WorkerChildOptions {
  start: ProcessStart & Required<Pick<ProcessStart, "workerId" | "pool" | "runs">>;
  env: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  onMessage: (message: WorkerToSupervisor) => void;
  /** See `followPulse`. */
  onLife: (isResponsive: boolean) => void;
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
  const pulse = followPulse(child, options.onLife);
  const startedAt = performance.now();
  let active: readonly { runId: string; deadlineAt: number }[] = [];
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

/**
 * Which variables of the environment a worker is given, by the build that is in force: all but those of the service, of
 * its store and of commands, and secrets that the project's code names in `verify` and nowhere else. Signatures are
 * checked by the web process. Where the code makes up names as it runs, it may read any variable, and keeps them.
 */
export function readWorkerNeeds(stateDir: string): (name: string) => boolean {
  const files = readBuiltCode(stateDir).code.map(splitFile);
  const own = files.map((file) => inlineConstants(file.own)).join("\n");
  const others = files.map((file) => file.others).join("\n");
  const secrets = readsByMadeUpNames(own) ? new Set<string>() : findVerificationSecrets(`${own}\n${others}`);
  return (name) => !ofService.test(name) && !secrets.has(name) && (!onlyByName.has(name) || has(own, name));
}

function findVerificationSecrets(code: string): ReadonlySet<string> {
  const values = [...code.matchAll(verification)]
    .flatMap(([, ...captured]) => captured.filter((text) => text !== undefined))
    .join("\n");
  const names = new Set([...values.matchAll(/process\.env(?:\.|\[")([\w$]+)/g)].map(([, name = ""]) => name));
  return new Set([...names].filter((name) => count(code, name) === count(values, name)));
}

/** The project's own modules apart from the SDK's and those of packages: each is below a comment with its path. */
function splitFile(code: string): { own: string; others: string } {
  const modules = code.split(/^(?=\/\/ )/m);
  const { own = [], others = [] } = Object.groupBy(modules, (module) =>
    /^\/\/ (signalbox:|(\.\.\/)*node_modules\/)/.test(module) ? "others" : "own",
  );
  return { own: own.join(""), others: others.join("") };
}

/**
 * Puts `process.env.A` where a constant stands for it: `var secret = process.env.A;` above `github({ secret })`. Too
 * many reads are no harm: one that is not of a signature keeps the variable.
 */
function inlineConstants(code: string): string {
  const constant = new RegExp(String.raw`^(?:var|let|const) ([\w$]+) = (${read})${fallback};$`, "gm");
  const values = new Map([...code.matchAll(constant)].map(([, name = "", value = ""]) => [name, value]));
  const longhand = code.replaceAll(constant, "").replaceAll(/([{,]\s*)secret(?=\s*[,}])/g, "$1secret: secret");
  return longhand.replaceAll(/(?<![\w$.])[\w$]+(?!\s*:)(?![\w$])/g, (word) => values.get(word) ?? word);
}

function count(text: string, name: string): number {
  let times = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (has(text.slice(Math.max(0, at - 1), at + name.length + 1), name)) times += 1;
  return times;
}
