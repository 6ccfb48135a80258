import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { PoolHost } from "./host-link.ts";
import type { WorkerChild } from "./worker-child.ts";

const maxWorkers = 4;
const idleMs = 2_000;
/** What is due later than this is found by a later look. */
const lookAheadMs = 5_000;

export interface Isolation {
  /** Starts processes for runs that must be alone, as many as are due, up to a bound. */
  look(): void;
  /** Starts none for so long: the last one could not be started, say. */
  pause(ms: number): void;
  /** Sends away processes that no run needs any more. */
  dismissIdle(): void;
}

/** Worker processes that execute one run at a time, started when a run must be alone and sent away when there is none. */
export function createIsolation(p: {
  host: Pick<PoolHost, "isolatedRuns">;
  clock: Clock;
  logger: Logger;
  workers: () => WorkerChild[];
  spawn: () => void;
  dismiss: (worker: WorkerChild) => void;
  later: (delayMs: number, action: () => void) => void;
}): Isolation {
  let pauses = 0;
  let isLooking = false;
  let isDue = false;

  async function startWorkers(): Promise<void> {
    const { queued, nextAt } = await p.host.isolatedRuns();
    const waitMs = nextAt === null ? Infinity : nextAt - p.clock.now();
    const due = queued + (waitMs <= 0 ? 1 : 0);
    const free = p.workers().filter(isFree).length;
    const wanted = pauses > 0 ? 0 : due;
    for (let n = free; n < wanted && p.workers().length < maxWorkers; n += 1) p.spawn();
    if (waitMs > 0 && waitMs < lookAheadMs) p.later(waitMs, look);
  }

  function look(): void {
    isDue = true;
    if (!isLooking) void lookWhileDue();
  }

  /** One question at a time: the host may be away. */
  async function lookWhileDue(): Promise<void> {
    isLooking = true;
    while (isDue) {
      isDue = false;
      await startWorkers().catch((error: unknown) =>
        p.logger.warn("could not look up isolated runs, retrying", { error }),
      );
    }
    isLooking = false;
  }

  return {
    look,
    pause(ms) {
      pauses += 1;
      p.later(ms, () => {
        pauses -= 1;
        look();
      });
    },
    dismissIdle() {
      for (const worker of p.workers())
        if (worker.isReady() && isFree(worker) && performance.now() - worker.changedAt() > idleMs) p.dismiss(worker);
    },
  };
}

const isFree = (worker: WorkerChild) => worker.active().length === 0;
