import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import type { AssignRuns } from "./assign-runs.ts";
import {
  type ClaimGroup,
  freeSlots,
  groupSlots,
  type HostedWorker,
  type HostedWorkers,
  isGroupOf,
} from "./hosted-workers.ts";

interface ClaimLoopOptions {
  store: Pick<Store, "claimRuns" | "nextAvailableAt">;
  workers: HostedWorkers;
  /** Whether the worker may be assigned more runs, if it has free slots. */
  canTakeRuns: (worker: HostedWorker) => boolean;
  assignRuns: AssignRuns;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}

export interface ClaimLoop {
  /** Signals that runs may be due. Cheap; safe to call at any time. */
  wake(): void;
  /**
   * Signals that this host queued this many runs after it had claimed all due runs. `limited`: the number of them whose
   * target limits its concurrency.
   */
  queued(count: number, limited?: number): void;
  /** Signals that a slot is free. Nothing is claimed if no run can be due. */
  slotFreed(): void;
  /** Whether due runs may be waiting: new runs must queue behind them. Runs of limited targets have queues of their own. */
  hasBacklog(): boolean;
  /** Resolves when the claim that is in progress is over and its runs are assigned. */
  settled(): Promise<void>;
  close(): void;
}

const firstRetryMs = 100;
const maxRetryMs = 5_000;
/** While limited targets have no room, a claim for their new runs finds none. The end of one of their runs is a signal. */
const limitedPauseMs = 20;

/**
 * Claims due runs for all workers and assigns them, never more than a worker's capacity. It never polls the store:
 * signals wake it, and an alarm at the time when the next waiting run is due.
 */
export function createClaimLoop(p: ClaimLoopOptions): ClaimLoop {
  const { store, workers, clock, logger } = p;
  const alarm = createAlarm(clock, wake);
  /** The number of due runs: at most `known`, and `limited` of limited targets, or any number if `isUnknown`. */
  let due = { known: 0, limited: 0, isUnknown: false };
  /** Set while new runs of limited targets wait for more of them. */
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isClaiming = false;
  /** Whether the claim in progress is for any number of runs. */
  let isClaimingAll = false;
  let round: Promise<unknown> = Promise.resolve();
  let failures = 0;
  /** A claim has failed: its runs are due at the next try. */
  let isRetrying = false;
  /** The last claim skipped workers without a free slot: runs that only they can execute may be due. */
  let hasSkippedWorkers = false;

  const isDue = () => due.isUnknown || due.known > 0 || (due.limited > 0 && !pause);

  function wake(): void {
    due.isUnknown = true;
    begin();
  }

  function begin(): void {
    if (isClaiming || isClosed || !isDue() || !hasSlot()) return;
    isClaiming = true;
    void claimWhileDue().finally(() => {
      isClaiming = false;
      // A signal may have come after the last check.
      begin();
    });
  }

  function hasSlot(): boolean {
    for (const worker of workers.values()) if (freeSlots(worker) > 0 && p.canTakeRuns(worker)) return true;
    return false;
  }

  const findGroups = (): ClaimGroup[] => groupSlots([...workers.values()].filter((worker) => p.canTakeRuns(worker)));

  async function claimWhileDue(): Promise<void> {
    while (isDue()) {
      // Runs that end in one write free their slots together.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const groups = isClosed ? [] : findGroups();
      if (groups.length === 0) return;
      const { known, limited, isUnknown } = due;
      due = { known: 0, limited: 0, isUnknown: false };
      isClaimingAll = isUnknown || isRetrying || hasSkippedWorkers;
      isRetrying = false;
      const skipped = [...workers.values()].filter(
        (worker) => p.canTakeRuns(worker) && !groups.some(isGroupOf(worker)),
      );
      const now = clock.now();
      try {
        const claiming = claimAll(groups, { now, max: isClaimingAll ? Infinity : known + limited });
        round = Promise.allSettled([claiming]);
        const { claimed, isFull } = await claiming;
        if (isClaimingAll) due.isUnknown ||= isFull;
        else if (isFull) due.known += Math.max(0, known + limited - claimed);
        else if (claimed < known + limited) pauseLimited();
        hasSkippedWorkers = skipped.length > 0;
        due.isUnknown ||= skipped.some((worker) => freeSlots(worker) > 0);
        if (isClaimingAll) await setAlarm(groups, now);
        failures = 0;
      } catch (error) {
        const retryMs = Math.min(firstRetryMs * 2 ** failures, maxRetryMs);
        failures += 1;
        logger.warn("could not claim runs, retrying", { error, retryMs });
        due = { known: 0, limited: 0, isUnknown: false }; // the alarm retries the claim
        isRetrying = true;
        if (!isClosed) alarm.setIn(retryMs);
        return;
      } finally {
        isClaimingAll = false;
      }
    }
  }

  function pauseLimited(): void {
    pause ??= setTimeout(() => {
      pause = undefined;
      begin();
    }, limitedPauseMs);
  }

  /** `isFull`: all slots of a group were filled, so that more may be due. */
  async function claimAll(
    groups: readonly ClaimGroup[],
    { now, max }: { now: number; max: number },
  ): Promise<{ claimed: number; isFull: boolean }> {
    const result = { claimed: 0, isFull: false };
    for (const group of groups) {
      const slots = group.slots.slice(0, max);
      const claimed = await claim({ ...group, slots }, now);
      result.claimed += claimed;
      result.isFull ||= claimed === group.slots.length;
    }
    return result;
  }

  async function claim(group: ClaimGroup, now: number): Promise<number> {
    const before = new Map(workers);
    const reserve = (change: 1 | -1) => {
      for (const id of group.slots) {
        const worker = before.get(id);
        if (worker) worker.reserved += change;
      }
    };
    reserve(1);
    try {
      const claimed = await store.claimRuns({ ...group, now, leaseMs: p.leaseMs });
      await p.assignRuns(claimed, { workers: before, since: now });
      return claimed.length;
    } finally {
      reserve(-1);
    }
  }

  /**
   * `claimedAt`: runs that were due then are claimed, or wait for a run to end, which wakes the loop. Runs that have
   * become due since are claimed at once.
   */
  async function setAlarm(groups: readonly ClaimGroup[], claimedAt: number): Promise<void> {
    const pools = [...new Set(groups.map(({ pool }) => pool))];
    const times = await Promise.all(pools.map((pool) => store.nextAvailableAt(pool, claimedAt)));
    const next = times.filter((at) => at !== null);
    if (!isClosed) alarm.setAt(next.length > 0 ? Math.min(...next) : null);
  }

  return {
    wake,
    queued(count, limited = 0) {
      due.known += count - limited;
      due.limited += limited;
      begin();
    },
    slotFreed() {
      due.isUnknown ||= hasSkippedWorkers;
      begin();
    },
    hasBacklog: () => due.isUnknown || due.known > 0 || isClaimingAll || isRetrying || hasSkippedWorkers,
    settled: async () => void (await round),
    close() {
      isClosed = true;
      alarm.clear();
      clearTimeout(pause);
    },
  };
}

// ---- the time of the next waiting run ----

/** The monotonic timers of a paused machine, or a changed clock, are noticed after this long at the latest. */
const maxTimerMs = 30_000;

interface Alarm {
  /** Fires once at this time; `null`: never. Replaces the previous time. */
  setAt(time: number | null): void;
  setIn(ms: number): void;
  clear(): void;
}

/** An alarm by the wall clock. Also works around the limit of setTimeout, 2^31-1 ms, above which it fires immediately. */
function createAlarm(clock: Clock, onDue: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;

  function setAt(time: number | null): void {
    clearTimeout(timer);
    if (time === null) return;
    const inMs = Math.max(0, time - clock.now());
    timer = setTimeout(() => (clock.now() >= time ? onDue() : setAt(time)), Math.min(inMs, maxTimerMs));
  }

  return {
    setAt,
    setIn(ms) {
      clearTimeout(timer);
      timer = setTimeout(onDue, ms);
    },
    clear: () => clearTimeout(timer),
  };
}
