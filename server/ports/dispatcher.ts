import type { ClaimedRun } from "./store.ts";

/**
 * Hands due runs to a worker process, at most `capacity` at a time. On SQLite the run rows are the queue; elsewhere an
 * engine carries run ids. Never polls the store for work: it is woken.
 */
export interface Dispatcher {
  start(execute: (run: ClaimedRun) => Promise<void>): void;
  /** Something may be due now. Cheap; may be called without need. */
  wake(): void;
  /** Takes nothing new until it is released; resolves when no claim is under way any more. What runs goes on. */
  hold(): Promise<void>;
  release(): void;
  /** Takes nothing new; resolves when what it handed out has ended. */
  drain(): Promise<void>;
  active(): readonly ClaimedRun[];
}
