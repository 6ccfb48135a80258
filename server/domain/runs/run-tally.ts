import type { Target } from "../../contract/project/target.ts";
import type { RunStatus } from "../../contract/run.ts";
import { type BucketCounts, type BucketTally, createBucketTally } from "../bucket-tally.ts";

/** Seconds. */
export const runDurationBounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
export const startLatencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300, 3600];

/** Counts of one target's runs since the service started. Plain data: the supervisor counts, and web serves it. */
export interface RunNumbers {
  target: Target;
  started: number;
  retried: number;
  /** By the state in which they ended. */
  finished: Partial<Record<RunStatus, number>>;
  /** Seconds of one execution of the code. */
  durations: BucketCounts;
  /** Seconds from the record of the run to its first start. */
  startLatencies: BucketCounts;
}

export interface RunTally {
  started(run: { target: Target; latencyMs: number }): void;
  /** The code ended or suspended. `waiting` with an error is a retry. `durationMs: null`: unknown. */
  ended(run: { target: Target; status: RunStatus; hasFailed: boolean; durationMs: number | null }): void;
  read(): RunNumbers[];
}

interface Entry {
  target: Target;
  started: number;
  retried: number;
  finished: Map<RunStatus, number>;
  durations: BucketTally;
  startLatencies: BucketTally;
}

/** Counts runs by target. */
export function createRunTally(): RunTally {
  const entries = new Map<string, Entry>();
  const entryOf = (target: Target): Entry => {
    const name = `${target.kind}:${target.slug}`;
    const known = entries.get(name);
    if (known) return known;
    const entry: Entry = {
      target: { kind: target.kind, slug: target.slug },
      started: 0,
      retried: 0,
      finished: new Map(),
      durations: createBucketTally(runDurationBounds),
      startLatencies: createBucketTally(startLatencyBounds),
    };
    entries.set(name, entry);
    return entry;
  };
  return {
    started({ target, latencyMs }) {
      const entry = entryOf(target);
      entry.started += 1;
      // Negative if the clock was set back in the meantime.
      entry.startLatencies.observe(Math.max(0, latencyMs) / 1000);
    },
    ended({ target, status, hasFailed, durationMs }) {
      const entry = entryOf(target);
      if (durationMs !== null) entry.durations.observe(durationMs / 1000);
      if (status === "waiting" && hasFailed) entry.retried += 1;
      if (status !== "waiting" && status !== "queued")
        entry.finished.set(status, (entry.finished.get(status) ?? 0) + 1);
    },
    read: () =>
      [...entries.values()].map(({ target, started, retried, finished, durations, startLatencies }) => ({
        target,
        started,
        retried,
        finished: Object.fromEntries(finished),
        durations: durations.read(),
        startLatencies: startLatencies.read(),
      })),
  };
}

/**
 * The counts of a service's supervisor, of its processes and their runs, since its start. Plain data: the supervisor
 * sends it to a web process that serves metrics.
 */
export interface ServiceNumbers {
  runs: RunNumbers[];
  workers: {
    /** The processes that accept runs now, by pool. */
    ready: { shared: number; isolated: number };
    rssBytes: { shared: number; isolated: number };
    /** Processes that ended, by why. `retired`: it was shut down or replaced. */
    ended: Record<"retired" | "killed" | "stopped" | "crashed" | "blocked", number>;
  };
  /** The number of restarts of the web process. */
  webRestarts: number;
}
