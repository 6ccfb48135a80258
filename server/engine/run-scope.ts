import { AsyncLocalStorage } from "node:async_hooks";
import type { RunLogFields } from "../ports/logger.ts";

/** The attempt that code belongs to, tracked through timers, callbacks and promises. */
export interface RunScope {
  readonly run: RunLogFields;
  /** Ends the attempt because of its code's behaviour. Returns `false` if it had already ended. */
  crash(error: unknown): boolean;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** Runs `fn` in the scope of this attempt, including everything that it starts. */
export function runInScope<T>(scope: RunScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

export function currentScope(): RunScope | null {
  return scopes.getStore() ?? null;
}

/** Runs `fn` outside any run's scope, even if a run's code caused the call. */
export function runOutsideScopes<T>(fn: () => T): T {
  return scopes.exit(fn);
}
