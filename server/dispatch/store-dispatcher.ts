import type { Clock } from "../ports/clock.ts";
import type { Dispatcher } from "../ports/dispatcher.ts";
import { type Logger, runLogFields } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { ClaimedRun } from "../ports/store/engine-store.ts";

/** Timers keep their own time: a machine that slept, or a clock that was set, is noticed after this long at the latest. */
const maxTimerMs = 30_000;

interface Alarm {
  /** Fires once at this time; `null`: never. Replaces the previous time. */
  setAt(time: number | null): void;
  setIn(ms: number): void;
  clear(): void;
}

export interface StoreDispatcherOptions {
  store: Pick<Store, "claimRuns" | "extendLeases" | "nextAvailableAt" | "watch">;
  workerId: string;
  /** Maximum number of runs that this process may hold at a time. Read for every claim. */
  capacity: () => number;
  pool: "shared" | "isolated";
  leaseMs: number;
  /** Of the build that this worker has. */
  version: string;
  /** Read for every claim, since a reload may change it. Keys are `kind:slug`. */
  concurrency: () => ReadonlyMap<string, number>;
  clock: Clock;
  logger: Logger;
}

const firstRetryMs = 100;
const longestRetryMs = 5000;

/**
 * The run rows are the queue. Claims after a write (here or in another process), when one of its own runs ends, and
 * when the next waiting run is due; never in between. The executor of a run renews its lease.
 */
export function createStoreDispatcher(p: StoreDispatcherOptions): Dispatcher {
  const running = new Map<ClaimedRun, Promise<void>>();
  const alarm = createAlarm(p.clock, wake);
  let execute: ((run: ClaimedRun) => Promise<void>) | null = null;
  let stopWatching: (() => void) | null = null;
  let isDraining = false;
  let isHeld = false;
  let isWoken = false;
  let claiming: Promise<void> | null = null;
  let failures = 0;

  function wake(): void {
    isWoken = true;
    if (!execute || claiming || !mayClaim()) return;
    claiming = claimWhileWoken(execute).finally(() => {
      claiming = null;
      // Woken between the last look and here.
      if (isWoken) wake();
    });
  }

  function mayClaim(): boolean {
    return isWoken && !isDraining && !isHeld && running.size < p.capacity();
  }

  async function claimWhileWoken(execute: (run: ClaimedRun) => Promise<void>): Promise<void> {
    while (mayClaim()) {
      // Runs that end in one write free their slots together.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (!mayClaim()) return;
      isWoken = false;
      try {
        await claim(execute);
        failures = 0;
      } catch (error) {
        const retryMs = Math.min(firstRetryMs * 2 ** failures, longestRetryMs);
        failures += 1;
        p.logger.warn("could not claim runs, retrying", { error, retryMs });
        isWoken = false; // the alarm comes back to it
        if (!isDraining) alarm.setIn(retryMs);
        return;
      }
    }
  }

  async function claim(execute: (run: ClaimedRun) => Promise<void>): Promise<void> {
    const { store, workerId, pool, leaseMs, version } = p;
    const now = p.clock.now();
    const limit = p.capacity() - running.size;
    const claimed = await store.claimRuns({
      workerId,
      limit,
      now,
      leaseMs,
      concurrency: p.concurrency(),
      pool,
      version,
    });
    for (const run of await renewLate(claimed, now)) hand(run, execute);
    // Due runs that were not claimed wait for a run to end, which triggers the next claim.
    const next = await store.nextAvailableAt(pool, now);
    if (!isDraining) alarm.setAt(next);
  }

  /**
   * A process that was stopped while it claimed, or waited long for the store, has leases that are as good as over:
   * others may be taking its runs already.
   */
  async function renewLate(claimed: readonly ClaimedRun[], since: number): Promise<readonly ClaimedRun[]> {
    const now = p.clock.now();
    if (claimed.length === 0 || now - since <= p.leaseMs / 3) return claimed;
    const { lost } = await p.store.extendLeases({
      workerId: p.workerId,
      runs: claimed.map(({ id, token }) => ({ id, token })),
      now,
      leaseMs: p.leaseMs,
    });
    const isLost = new Set(lost);
    return claimed.filter(({ id }) => !isLost.has(id)).map((run) => ({ ...run, leaseUntil: now + p.leaseMs }));
  }

  function hand(run: ClaimedRun, execute: (run: ClaimedRun) => Promise<void>): void {
    const ended = runToEnd(run, execute).finally(() => {
      running.delete(run);
      wake();
    });
    running.set(run, ended);
  }

  async function runToEnd(run: ClaimedRun, execute: (run: ClaimedRun) => Promise<void>): Promise<void> {
    try {
      await execute(run);
    } catch (error) {
      // Its lease runs out, and another worker takes it over.
      p.logger.error("could not execute a run", { ...runLogFields(run), error });
    }
  }

  return {
    start(given) {
      execute = given;
      stopWatching = p.store.watch(wake);
      wake();
    },
    wake,
    async hold() {
      isHeld = true;
      await claiming;
    },
    release() {
      isHeld = false;
      wake();
    },
    async drain() {
      isDraining = true;
      alarm.clear();
      stopWatching?.();
      // A claim in progress still hands out its runs.
      await claiming;
      await Promise.all(running.values());
    },
    active: () => [...running.keys()],
  };
}

/** One alarm by the wall clock. Also works around the limit of setTimeout, 2^31-1 ms, above which it fires immediately. */
function createAlarm(clock: Clock, ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;

  function setAt(time: number | null): void {
    clearTimeout(timer);
    if (time === null) return;
    const inMs = Math.max(0, time - clock.now());
    timer = setTimeout(() => (clock.now() >= time ? ring() : setAt(time)), Math.min(inMs, maxTimerMs));
  }

  return {
    setAt,
    setIn(ms) {
      clearTimeout(timer);
      timer = setTimeout(ring, ms);
    },
    clear: () => clearTimeout(timer),
  };
}
