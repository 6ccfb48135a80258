/** What the supervisor sees of a worker. */
export interface WorkerSight {
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since any thread of it has given a sign of life. */
  lifelessMs: number;
  rssBytes: number;
  maxRssBytes: number;
  active: readonly { runId: string; deadlineAt: number }[];
}

export type WorkerVerdict = "fine" | "blocked" | "stopped" | "out_of_memory";

/** Heartbeats come twice a second: a second without one means a blocked event loop. */
const silenceMs = 1_000;
const deadlineSlackMs = 500;
/** How long a blocked loop may hold up its neighbours. */
const neighboursWaitMs = 15_000;
/** Longer than a lease lasts. */
const stoppedAfterMs = 15_000;

/**
 * Whether a worker must be ended. Stopped: no thread of it has spoken for longer than a lease lasts, so that its runs
 * are anybody's. Blocked: past the deadline of a run, or for so long that its neighbours suffer. A single run may block
 * its process until its own deadline. Memory counts as the system sees it, because Buffers are not in V8's heap.
 */
export function judgeWorker(sight: WorkerSight, now: number): WorkerVerdict {
  if (sight.rssBytes > sight.maxRssBytes) return "out_of_memory";
  if (sight.lifelessMs > stoppedAfterMs) return "stopped";
  if (sight.silentMs <= silenceMs) return "fine";
  const isPastDeadline = sight.active.some(({ deadlineAt }) => now > deadlineAt + deadlineSlackMs);
  const holdsUpOthers = sight.silentMs > neighboursWaitMs && sight.active.length !== 1;
  return isPastDeadline || holdsUpOthers ? "blocked" : "fine";
}

/** The bound on a worker's resident memory: its heap, a quarter more for what lies outside of it, and Node itself. */
export function maxRssBytes(workerMemoryMb: number): number {
  return (workerMemoryMb * 1.25 + 128) * 1024 * 1024;
}
