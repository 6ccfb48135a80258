import { AsyncLocalStorage } from "node:async_hooks";
import type { RunLogFields } from "../ports/run-log-fields.ts";

/** The attempt that code belongs to, wherever it runs: timers, callbacks and promises keep it. */
export interface RunScope {
  readonly run: RunLogFields;
  /** Ends the attempt because of what its code did. `false`: it had ended before. */
  crash(error: unknown): boolean;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** Everything that `fn` begins belongs to this attempt. */
export function runInScope<T>(scope: RunScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

export function currentScope(): RunScope | null {
  return scopes.getStore() ?? null;
}

/** For what belongs to the process, even when a run's code was the occasion. */
export function runOutsideScopes<T>(fn: () => T): T {
  return scopes.exit(fn);
}
