import { syncBuiltinESMExports } from "node:module";
import { waitReporter } from "../../sdk/definition.ts";
import type { Logger } from "../ports/logger.ts";
import { ProcessChangeRejected, ProcessExitCalled } from "./run-errors.ts";
import { isolateEnvironment } from "./run-environment.ts";
import { currentExecution, currentScope, reportWait, runOutsideScopes } from "./execute-run.ts";

export interface ProcessGuardOptions {
  logger: Logger;
  /** Called when the process is no longer reliable: it accepts no new runs, finishes its active runs and exits. */
  onRetire: (reason: string) => void;
  /** An error that belongs to no run: the active runs continue in another process. */
  onCrash: (error: unknown) => void;
  /** The number of active attempts in this process. */
  countRuns: () => number;
}

export interface ProcessGuards {
  /** Exits the process, regardless of the caller. */
  exit(code: number): never;
}

/**
 * Isolates runs that share a process: process.exit(), an unhandled rejection or an uncaught exception ends only the
 * attempt that caused it. What all runs share cannot be changed. Installed once per worker process, before it loads the
 * project's code.
 */
export function installProcessGuards(options: ProcessGuardOptions): ProcessGuards {
  const reallyExit = process.exit.bind(process);
  guardProcess();
  isolateEnvironment(process, currentExecution);
  Reflect.set(globalThis, waitReporter, reportWait);
  // For `import { exit, env } from "node:process"`.
  syncBuiltinESMExports();
  process.on("unhandledRejection", (reason) => handleStrayError({ ...options, error: reason, isException: false }));
  process.on("uncaughtException", (error) => handleStrayError({ ...options, error, isException: true }));
  return { exit: (code) => runOutsideScopes(() => reallyExit(code)) };
}

type Guard = (call: string, args: readonly unknown[]) => void;

/** The calls that end the process, or change what its runs share. */
const guards: { readonly [name: string]: Guard } = {
  exit: (call) => guardExit(call),
  reallyExit: (call) => guardExit(call),
  abort: (call) => guardExit(call),
  execve: (call) => guardExit(call),
  kill: (call, [pid, signal]) => signal !== 0 && isOwnProcess(Number(pid)) && guardExit(call),
  disconnect: reject("The worker needs its channel."),
  chdir: reject(
    "Use absolute paths, such as path.join(import.meta.dirname, …), or the option `cwd` of child processes.",
  ),
  umask: (call, args) => args[0] !== undefined && reject("Set the mode of each file that you create.")(call, args),
  setuid: reject("Run the service as that user."),
  setgid: reject("Run the service in that group."),
  seteuid: reject("Run the service as that user."),
  setegid: reject("Run the service in that group."),
  setgroups: reject("Run the service in these groups."),
  initgroups: reject("Run the service in these groups."),
  removeAllListeners: (call, args) =>
    (args[0] === undefined || workerEvents.includes(args[0])) &&
    reject("Remove your own listeners with process.off().")(call, args),
  setUncaughtExceptionCaptureCallback: reject("Catch the error where it is thrown."),
};

/** Events of the process whose listeners belong to the worker. Packages may remove those of others, such as `warning`. */
const workerEvents: readonly unknown[] = [
  "uncaughtException",
  "unhandledRejection",
  "message",
  "disconnect",
  "SIGINT",
  "SIGTERM",
];

/** They throw if a run's code calls them. */
function guardProcess(): void {
  for (const [name, guard] of Object.entries(guards)) {
    const original: unknown = Reflect.get(process, name);
    if (typeof original !== "function") continue;
    const guarded = (...args: unknown[]): unknown => {
      if (currentScope()) guard(describeCall(name, args), args);
      return Reflect.apply(original, process, args);
    };
    Reflect.set(process, name, guarded);
  }
}

function describeCall(name: string, args: readonly unknown[]): string {
  const isShort = args.every((arg) => typeof arg === "number" || typeof arg === "string");
  return `process.${name}(${isShort ? args.map((arg) => JSON.stringify(arg)).join(", ") : "…"})`;
}

/** The process, its supervisor, and the groups that contain them. */
function isOwnProcess(pid: number): boolean {
  return [0, 1, process.pid, process.ppid].includes(Math.abs(pid));
}

function reject(fix: string): Guard {
  return (call) => {
    throw new ProcessChangeRejected(call, fix);
  };
}

/** Ends the attempt and throws if a run's code calls it; does nothing for any other caller. */
function guardExit(call: string): void {
  const scope = currentScope();
  if (!scope) return;
  const error = new ProcessExitCalled(call);
  scope.crash(error);
  throw error;
}

function handleStrayError(p: ProcessGuardOptions & { error: unknown; isException: boolean }): void {
  // Thrown by guardExit and not caught: the attempt has already ended.
  if (p.error instanceof ProcessExitCalled) return;
  const scope = currentScope();
  if (scope) {
    const isOurs = scope.crash(describeStrayError(p.error, p.isException));
    if (!isOurs)
      p.logger.warn("unhandled error in the code of an ended run", {
        ...scope.run,
        error: p.error,
      });
    if (p.isException) p.onRetire(`run ${scope.run.runId} threw an uncaught exception`);
    return;
  }
  if (p.countRuns() > 0) return p.onCrash(p.error);
  p.logger.warn("unhandled error while no run was active", { error: p.error });
  if (p.isException) p.onRetire("an uncaught exception");
}

/** Its name describes how the error surfaced. The original error is its cause; `retryable: false` is read there. */
function describeStrayError(cause: unknown, isException: boolean): Error {
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const error = new Error(
    isException
      ? `Uncaught exception from a timer, an event or a callback: ${what}`
      : `Unhandled promise rejection (is an await missing?): ${what}`,
    { cause },
  );
  error.name = isException ? "UncaughtException" : "UnhandledRejection";
  if (typeof cause === "object" && cause !== null && "retryable" in cause && cause.retryable === false)
    Object.assign(error, { retryable: false });
  return error;
}
