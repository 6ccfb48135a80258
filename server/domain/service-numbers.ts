import type { RunNumbers } from "./run-tally.ts";

/**
 * The counts of a service's supervisor, of its processes and their runs, since its start. Plain data: the supervisor
 * sends it to a web process that serves metrics.
 */
export interface ServiceNumbers {
  runs: RunNumbers[];
  workers: {
    /** Processes that take runs now, by pool. */
    ready: { shared: number; isolated: number };
    rssBytes: { shared: number; isolated: number };
    /** Processes that ended, by why. `retired`: it was asked to go, or took its leave. */
    ended: Record<"retired" | "killed" | "stopped" | "crashed" | "blocked", number>;
  };
  /** Times that the web process was started again. */
  webRestarts: number;
}
