import { readFileSync } from "node:fs";
import type { Pool } from "../../domain/runs/blocked-work.ts";
import type { WorkerDeath } from "../../engine/plan-lost-runs.ts";
import type { ActiveRun } from "../../engine/worker-loop.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, targetLogFields } from "../../ports/logger.ts";
import type { WorkerChild } from "../worker/worker-child.ts";
import { formatInterval } from "../../shared/format.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

/** The state of a worker, as the supervisor observes it. */
export interface WorkerObservation {
  pool: Pool;
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since the last message of any of its threads. */
  unresponsiveMs: number;
  rssBytes: number;
  maxRssBytes: number;
  /** The runs whose code is executing, or about to. */
  active: readonly Pick<ActiveRun, "runId" | "deadlineAt">[];
  /** The number of further runs that it has. */
  others: number;
  /** The number of due runs that wait for its place. */
  waiting: number;
}

type WorkerVerdict = "fine" | "blocked" | "stopped" | "out_of_memory";

/** Heartbeats come twice a second: a second without one means a blocked event loop. */
const silenceMs = 1_000;
const deadlineSlackMs = 500;
/** How long a blocked event loop may delay the other runs of the worker. */
const maxDelayOfOthersMs = 15_000;
/**
 * How long it may delay due runs that wait for its place. A run that was isolated because it blocks its process may
 * need a while, so it gets longer.
 */
const maxDelayOfWaitingMs = { shared: 15_000, isolated: 60_000 };
/** A blocked worker that delays other runs is logged after this time. */
const noticedAfterMs = 5_000;
/** Longer than a lease. */
const stoppedAfterMs = 15_000;

export const watchEveryMs = 250;
const maxStartMs = 60_000;
/** A worker is killed after this many consecutive checks that find it blocked, if the run that blocks it is known. */
const minBlockedChecks = 3;
/** The same if it is not known which run blocks it. */
const maxBlockedChecks = 8;
const readRssAfterSilentMs = 1_000;
/**
 * The time that a worker found unresponsive has to respond. It may have been stopped together with this process, and
 * resume with it.
 */
const maxResumeMs = 2_000;

/** Returns a function that checks all workers once. It kills those that are blocked, use too much memory or never start. */
export function createWorkerWatch(p: {
  workers: Iterable<WorkerChild>;
  memoryMb: number;
  clock: Clock;
  mapStack: (stack: string) => Promise<string>;
  waitingRuns: WaitingRuns;
  /** Whether runs may wait for the worker: it is not about to be replaced. */
  mayTakeRuns: (worker: WorkerChild) => boolean;
  logger: Logger;
}): () => Promise<void> {
  let blockedChecks = new WeakMap<WorkerChild, number>();
  const unresponsiveSince = new WeakMap<WorkerChild, number>();
  const logged = new WeakSet<WorkerChild>();
  let lastCheckAt = performance.now();
  const maxRss = maxRssBytes(p.memoryMb);

  async function check(worker: WorkerChild, wasDelayed: boolean): Promise<void> {
    const now = performance.now();
    if (!worker.isReady())
      return now - worker.startedAt > maxStartMs
        ? worker.kill({ kind: "crashed", how: `did not start within ${formatInterval(maxStartMs)}` })
        : undefined;
    const silentMs = worker.silentMs();
    const unresponsiveMs = worker.unresponsiveMs();
    const rssBytes = (silentMs > readRssAfterSilentMs ? readRss(worker.pid) : null) ?? worker.rssBytes();
    const waiting = silentMs > noticedAfterMs && isNextToEnd(worker) ? p.waitingRuns.of(worker.pool) : 0;
    const observation = { pool: worker.pool, active: worker.active(), others: worker.others(), waiting };
    const verdict = assessWorker(
      { silentMs, unresponsiveMs, rssBytes, maxRssBytes: maxRss, ...observation },
      p.clock.now(),
    );
    if (silentMs <= silenceMs) logged.delete(worker);
    else if (silentMs > noticedAfterMs && (waiting > 0 || !isAlone(observation)))
      logOnce(worker, { silentMs, waiting });
    if (verdict === "stopped") return killStopped(worker, now);
    unresponsiveSince.delete(worker);
    if (verdict === "fine") return void blockedChecks.delete(worker);
    if (verdict === "out_of_memory") return worker.kill(describeMemory());
    if (wasDelayed) return;
    const checks = (blockedChecks.get(worker) ?? 0) + 1;
    blockedChecks.set(worker, checks);
    const isSure =
      checks >= minBlockedChecks &&
      (worker.blockReports().length > 0 || worker.active().length <= 1 || checks >= maxBlockedChecks);
    if (!isSure) return;
    const isForOthers = worker.pool === "isolated" && waiting > 0 && !isPastDeadline(observation.active, p.clock.now());
    worker.kill(await describeBlock(worker, { silentMs, othersWaiting: isForOthers ? waiting : undefined }));
    p.waitingRuns.forget();
  }

  /** Of the isolated workers, only the one that has been blocked for longest makes room. */
  function isNextToEnd(worker: WorkerChild): boolean {
    if (!p.mayTakeRuns(worker)) return false;
    if (worker.pool === "shared") return true;
    return [...p.workers].every((other) => other.pool === "shared" || other.silentMs() <= worker.silentMs());
  }

  /** One line for each time that a worker is blocked. */
  function logOnce(worker: WorkerChild, { silentMs, waiting }: { silentMs: number; waiting: number }): void {
    if (logged.has(worker)) return;
    logged.add(worker);
    const active = worker.active();
    const culprit = worker.blockReports().at(-1)?.runId ?? (active.length === 1 ? active[0]?.runId : undefined);
    const target = active.find(({ runId }) => runId === culprit)?.target;
    p.logger.warn("code blocks the event loop of a worker and delays other runs", {
      workerId: worker.workerId,
      runId: culprit ?? null,
      ...(target ? targetLogFields(target) : {}),
      blockedMs: Math.round(silentMs),
      runsInWorker: active.length + worker.others(),
      waitingRuns: waiting,
    });
  }

  /**
   * Measures the time instead of counting checks: a worker that was stopped while it held the store's lock delays this
   * process, too, at every write.
   */
  function killStopped(worker: WorkerChild, now: number): void {
    const since = unresponsiveSince.get(worker) ?? now;
    unresponsiveSince.set(worker, since);
    if (now - since >= maxResumeMs) worker.kill({ kind: "stopped", silentMs: worker.unresponsiveMs() });
  }

  function describeMemory(): WorkerDeath {
    return {
      kind: "crashed",
      how: `used more than ${Math.round(maxRss / 1024 / 1024)} MiB of memory (workerMemoryMb is ${p.memoryMb}; Buffers count too)`,
    };
  }

  async function describeBlock(
    worker: WorkerChild,
    { silentMs: blockedMs, othersWaiting }: { silentMs: number; othersWaiting: number | undefined },
  ): Promise<WorkerDeath> {
    const last = worker.blockReports().at(-1);
    const stack = last ? await p.mapStack(last.stack).catch(() => last.stack) : null;
    return {
      kind: "blocked",
      blockedMs,
      culprits: last?.runId ? [last.runId] : null,
      stack: stack && `The event loop was blocked:\n${stack}`,
      ...(othersWaiting === undefined ? {} : { othersWaiting }),
    };
  }

  return async () => {
    const now = performance.now();
    // If this process was delayed itself, messages of the workers may be unread. They are read first.
    const wasDelayed = now - lastCheckAt > 4 * watchEveryMs;
    if (wasDelayed) {
      blockedChecks = new WeakMap();
      await new Promise(setImmediate);
    }
    lastCheckAt = now;
    await Promise.all([...p.workers].map((worker) => check(worker, wasDelayed)));
  };
}

/**
 * Reads the resident memory of a process that cannot report it itself; `null` if the system has no /proc. The read is
 * synchronous: the kernel answers from memory, and a promise would take several turns of the event loop, each of which
 * may be delayed.
 */
function readRss(pid: number): number | null {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return null;
  }
  const kilobytes = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]);
  return kilobytes > 0 ? kilobytes * 1024 : null;
}

/**
 * Whether a worker must be killed. Stopped: none of its threads has sent a message for longer than a lease, so any
 * worker may take its runs. Blocked: past the deadline of a run, or for so long that other runs are delayed. A single
 * run may block its process until its own deadline if no run waits for its place. Memory is measured by the system,
 * because Buffers are not in V8's heap.
 */
export function assessWorker(observation: WorkerObservation, now: number): WorkerVerdict {
  if (observation.rssBytes > observation.maxRssBytes) return "out_of_memory";
  if (observation.unresponsiveMs > stoppedAfterMs) return "stopped";
  if (observation.silentMs <= silenceMs) return "fine";
  const delaysOthers = observation.silentMs > maxDelayOfOthersMs && !isAlone(observation);
  const delaysWaiting = observation.silentMs > maxDelayOfWaitingMs[observation.pool] && observation.waiting > 0;
  return isPastDeadline(observation.active, now) || delaysOthers || delaysWaiting ? "blocked" : "fine";
}

const isPastDeadline = (active: WorkerObservation["active"], now: number): boolean =>
  active.some(({ deadlineAt }) => now > deadlineAt + deadlineSlackMs);

/** A worker without runs is blocked by code of a run that has ended. */
const isAlone = ({ active, others }: Pick<WorkerObservation, "active" | "others">): boolean =>
  active.length + others === 1;

/** The limit of a worker's resident memory: its heap, a quarter more for memory outside of it, and Node itself. */
export function maxRssBytes(workerMemoryMb: number): number {
  return (workerMemoryMb * 1.25 + 128) * 1024 * 1024;
}
