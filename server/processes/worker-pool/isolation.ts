import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { PoolHost } from "../receiver/host-link.ts";
import type { WorkerChild } from "../worker/worker-child.ts";

const maxWorkers = 4;
const idleMs = 2_000;
/** Heartbeats come twice a second. */
const maxReportAgeMs = 1_000;
/** A later check finds runs that are due after this time. */
const maxWaitMs = 5_000;

export interface Isolation {
  /** Starts a process for each due isolated run, up to a limit. */
  check(): void;
  /** The number of due isolated runs that wait until a process ends, because there may be no more. */
  countWaiting(): Promise<number>;
  /** Starts no processes for this time, e.g. because the last one could not start. */
  pause(ms: number): void;
  /** Dismisses processes that have been idle for a while. */
  dismissIdle(): void;
}

/** Keeps worker processes that execute one run at a time: they are started for isolated runs, and dismissed when idle. */
export function createIsolation(p: {
  host: Pick<PoolHost, "isolatedRuns">;
  clock: Clock;
  logger: Logger;
  workers: () => WorkerChild[];
  spawn: () => void;
  dismiss: (worker: WorkerChild) => void;
  schedule: (delayMs: number, action: () => void) => void;
}): Isolation {
  let pauses = 0;
  let isChecking = false;
  let isDue = false;

  async function startWorkers(): Promise<void> {
    const { queued, nextAt } = await p.host.isolatedRuns();
    const waitMs = nextAt === null ? Infinity : nextAt - p.clock.now();
    const due = queued + (waitMs <= 0 ? 1 : 0);
    const free = p.workers().filter(isFree).length;
    const wanted = pauses > 0 ? 0 : due;
    for (let n = free; n < wanted && p.workers().length < maxWorkers; n += 1) p.spawn();
    if (waitMs > 0 && waitMs < maxWaitMs) p.schedule(waitMs, check);
  }

  function check(): void {
    isDue = true;
    if (!isChecking) void checkWhileDue();
  }

  /** One request at a time: the host may be unavailable for a while. */
  async function checkWhileDue(): Promise<void> {
    isChecking = true;
    while (isDue) {
      isDue = false;
      await startWorkers().catch((error: unknown) =>
        p.logger.warn("could not look up isolated runs, retrying", { error }),
      );
    }
    isChecking = false;
  }

  return {
    check,
    async countWaiting() {
      const { queued } = await p.host.isolatedRuns();
      if (p.workers().length < maxWorkers) return 0;
      return Math.max(0, queued - p.workers().filter(isFree).length);
    },
    pause(ms) {
      pauses += 1;
      p.schedule(ms, () => {
        pauses -= 1;
        check();
      });
    },
    dismissIdle() {
      for (const worker of p.workers()) if (isIdle(worker)) p.dismiss(worker);
    },
  };
}

/** A worker that does not respond may have been assigned a run since its last report. */
const isIdle = (worker: WorkerChild): boolean =>
  worker.isReady() &&
  isFree(worker) &&
  worker.silentMs() < maxReportAgeMs &&
  performance.now() - worker.changedAt() > idleMs;

const isFree = (worker: WorkerChild) => worker.active().length + worker.others() === 0;
