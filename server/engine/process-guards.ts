import type { Logger } from "../ports/logger.ts";
import { ProcessExitCalled } from "./run-errors.ts";
import { currentScope, runOutsideScopes } from "./run-scope.ts";

export interface ProcessGuardOptions {
  logger: Logger;
  /** The process can no longer be trusted: take nothing new, finish what runs, leave. */
  onRetire: (reason: string) => void;
  /** An error that belongs to no run: what runs here goes on in another process. */
  onCrash: (error: unknown) => void;
  /** How many attempts run here now. */
  countActive: () => number;
}

export interface ProcessGuards {
  /** Ends the process, whoever asks. */
  exit(code: number): never;
}

/**
 * Keeps what one run's code does to the process from its neighbours: process.exit() and the like, rejections that
 * nobody handles and exceptions that nobody catches end only the attempt that they belong to. Installed once in a
 * worker process.
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

  process.on("unhandledRejection", (reason) => handleStrayError({ ...options, error: reason, isException: false }));
  process.on("uncaughtException", (error) => handleStrayError({ ...options, error, isException: true }));
  return { exit: (code) => runOutsideScopes(() => reallyExit(code)) };
}

/** Called by a run's code, it ends the attempt and throws; called by anybody else it lets it pass. */
function guardExit(call: string): void {
  const scope = currentScope();
  if (!scope) return;
  const error = new ProcessExitCalled(call);
  scope.crash(error);
  throw error;
}

function handleStrayError(p: ProcessGuardOptions & { error: unknown; isException: boolean }): void {
  // Thrown by guardExit, and caught by nobody: the attempt has ended with it.
  if (p.error instanceof ProcessExitCalled) return;
  const scope = currentScope();
  if (scope) {
    const isOurs = scope.crash(describeStrayError(p.error, p.isException));
    if (!isOurs)
      p.logger.warn("code of a run that has ended threw an error that nobody handles", {
        ...scope.run,
        error: p.error,
      });
    if (p.isException) p.onRetire(`run ${scope.run.runId} threw an uncaught exception`);
    return;
  }
  if (p.countActive() > 0) return p.onCrash(p.error);
  p.logger.warn("an error that nobody handles, while no run was active", { error: p.error });
  if (p.isException) p.onRetire("an uncaught exception");
}

/** Its name says how it came; the error itself is the cause, so `retryable: false` is looked up there. */
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
