import { readFileSync } from "node:fs";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import type { Clock } from "../ports/clock.ts";
import type { WorkerChild } from "./worker-child.ts";

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

type WorkerVerdict = "fine" | "blocked" | "stopped" | "out_of_memory";

/** Heartbeats come twice a second: a second without one means a blocked event loop. */
const silenceMs = 1_000;
const deadlineSlackMs = 500;
/** How long a blocked loop may hold up its neighbours. */
const neighboursWaitMs = 15_000;
/** Longer than a lease lasts. */
const stoppedAfterMs = 15_000;

const pageBytes = 4096;

export const watchEveryMs = 250;
const startWithinMs = 60_000;
/**
 * Looks in a row that must find a worker blocked before it is ended, and how many more it may take to learn whose code
 * blocks it.
 */
const looksToBeSure = 3;
const looksForCulprit = 8;
const silentMsToLookMyself = 1_000;
/**
 * How long after it was first found without a sign of life it has to give one: it may have been stopped together with
 * this process, and wake with it.
 */
const wakeWithinMs = 2_000;

/** Gives one look at all workers: it ends those that are blocked too long, hold too much memory or never start. */
export function createWorkerWatch(p: {
  workers: Iterable<WorkerChild>;
  memoryMb: number;
  clock: Clock;
  mapStack: (stack: string) => Promise<string>;
}): () => Promise<void> {
  let suspicion = new WeakMap<WorkerChild, number>();
  const lifelessSince = new WeakMap<WorkerChild, number>();
  let lastLookAt = performance.now();
  const memoryBound = maxRssBytes(p.memoryMb);

  async function lookAt(worker: WorkerChild, wasHeldUp: boolean): Promise<void> {
    const now = performance.now();
    if (!worker.isReady())
      return now - worker.startedAt > startWithinMs
        ? worker.kill({ kind: "crashed", how: `did not start within ${startWithinMs / 1000} s` })
        : undefined;
    const silentMs = now - worker.heardAt();
    const lifelessMs = now - worker.livedAt();
    const rssBytes = (silentMs > silentMsToLookMyself ? readRss(worker.pid) : null) ?? worker.rssBytes();
    const verdict = judgeWorker(
      { silentMs, lifelessMs, rssBytes, maxRssBytes: memoryBound, active: worker.active() },
      p.clock.now(),
    );
    if (verdict === "stopped") return endStopped(worker, now);
    lifelessSince.delete(worker);
    if (verdict === "fine") return void suspicion.delete(worker);
    if (verdict === "out_of_memory") return worker.kill(describeMemory());
    if (wasHeldUp) return;
    const looks = (suspicion.get(worker) ?? 0) + 1;
    suspicion.set(worker, looks);
    const isSure =
      looks >= looksToBeSure &&
      (worker.blockReports().length > 0 || worker.active().length <= 1 || looks >= looksForCulprit);
    if (isSure) worker.kill(await describeBlock(worker, silentMs));
  }

  /**
   * By the time that passes, not by looks: one that was stopped while it held the store's lock holds up this process,
   * too, at every write.
   */
  function endStopped(worker: WorkerChild, now: number): void {
    const since = lifelessSince.get(worker) ?? now;
    lifelessSince.set(worker, since);
    if (now - since >= wakeWithinMs) worker.kill({ kind: "stopped", silentMs: now - worker.livedAt() });
  }

  function describeMemory(): WorkerDeath {
    return {
      kind: "crashed",
      how: `used more than ${Math.round(memoryBound / 1024 / 1024)} MiB of memory (workerMemoryMb is ${p.memoryMb}; Buffers count too)`,
    };
  }

  async function describeBlock(worker: WorkerChild, blockedMs: number): Promise<WorkerDeath> {
    const last = worker.blockReports().at(-1);
    const stack = last ? await p.mapStack(last.stack).catch(() => last.stack) : null;
    return {
      kind: "blocked",
      blockedMs,
      culprits: last?.runId ? [last.runId] : null,
      stack: stack && `The event loop was blocked:\n${stack}`,
    };
  }

  return async () => {
    const now = performance.now();
    // This process was held up itself: what looks like silence may only be unread. So it is read first.
    const wasHeldUp = now - lastLookAt > 4 * watchEveryMs;
    if (wasHeldUp) {
      suspicion = new WeakMap();
      await new Promise(setImmediate);
    }
    lastLookAt = now;
    await Promise.all([...p.workers].map((worker) => lookAt(worker, wasHeldUp)));
  };
}

/**
 * Resident memory of a process from outside it, for when it cannot tell itself; `null` where the system has no /proc.
 * Read at once: the kernel answers from memory, and a promise would take several turns of an event loop that may be
 * held up in each.
 */
function readRss(pid: number): number | null {
  const pages = Number(readStatm(pid)?.split(" ")[1]);
  return Number.isFinite(pages) && pages > 0 ? pages * pageBytes : null;
}

function readStatm(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/statm`, "utf8");
  } catch {
    return null;
  }
}

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
