import type { Logger } from "../ports/logger.ts";
import { ProcessChangeRefused, ProcessExitCalled } from "./run-errors.ts";
import { createRunEnvironment } from "./run-environment.ts";
import { currentExecution, currentScope, runOutsideScopes } from "./execute-run.ts";

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
 * attempt that caused it. Installed once per worker process.
 */
export function installProcessGuards(options: ProcessGuardOptions): ProcessGuards {
  const reallyExit = process.exit.bind(process);

  process.exit = (code?: number | string | null): never => {
    guardExit(`process.exit(${code ?? ""})`);
    return reallyExit(code ?? undefined);
  };
  const abort = process.abort.bind(process);
  process.abort = (): never => {
    guardExit("process.abort()");
    return abort();
  };
  const kill = process.kill.bind(process);
  process.kill = (pid: number, signal?: string | number): true => {
    if (pid === process.pid && signal !== 0)
      guardExit(`process.kill(process.pid, ${JSON.stringify(signal ?? "SIGTERM")})`);
    return kill(pid, signal);
  };

  refuseChanges();
  process.env = createRunEnvironment(process.env, currentExecution);
  process.on("unhandledRejection", (reason) => handleStrayError({ ...options, error: reason, isException: false }));
  process.on("uncaughtException", (error) => handleStrayError({ ...options, error, isException: true }));
  return { exit: (code) => runOutsideScopes(() => reallyExit(code)) };
}

/** Calls that change what all runs of the process share, with the fix. */
const sharedState = {
  chdir: "Use absolute paths, such as path.join(import.meta.dirname, …), or the option `cwd` of child processes.",
  umask: "Set the mode of each file that you create.",
  setuid: "Run the service as that user.",
  setgid: "Run the service in that group.",
  seteuid: "Run the service as that user.",
  setegid: "Run the service in that group.",
  setgroups: "Run the service in these groups.",
  initgroups: "Run the service in these groups.",
  removeAllListeners: "Remove your own listeners with process.off().",
  setUncaughtExceptionCaptureCallback: "Catch the error where it is thrown.",
} as const;

/** They throw if a run's code calls them. Without arguments, `umask` only reads. */
function refuseChanges(): void {
  for (const [name, fix] of Object.entries(sharedState)) {
    const original: unknown = Reflect.get(process, name);
    if (typeof original !== "function") continue;
    const guarded = (...args: unknown[]): unknown => {
      const isChange = name !== "umask" || args.length > 0;
      if (isChange && currentScope()) throw new ProcessChangeRefused(`process.${name}()`, fix);
      return Reflect.apply(original, process, args);
    };
    Reflect.set(process, name, guarded);
  }
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
