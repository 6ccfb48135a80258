import type { ClaimedRun } from "./store/engine-store.ts";

/**
 * Claims due runs for a worker process, at most `capacity` at a time. On SQLite, the run rows are the queue. It never
 * polls the store: signals wake it.
 */
export interface Dispatcher {
  start(execute: (run: ClaimedRun) => Promise<void>): void;
  /** Signals that a run may be due. Cheap; safe to call at any time. */
  wake(): void;
  /** Claims nothing until it is released. Resolves when no claim is in progress. Active runs continue. */
  hold(): Promise<void>;
  release(): void;
  /** Claims nothing more. Resolves when its active runs have ended. */
  drain(): Promise<void>;
  active(): readonly ClaimedRun[];
}
