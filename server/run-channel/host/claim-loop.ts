import { targetName } from "../../contract/project/target.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
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
  /** Called with the runs of each claim. */
  onClaimed?: (claimed: readonly ClaimedRun[], group: ClaimGroup) => void;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}

export interface ClaimLoop {
  /** Signals that runs may be due. Cheap; safe to call at any time. */
  wake(): void;
  /**
   * Signals that this host queued this many runs after it had claimed all due runs. `limited`: the targets of those
   * whose target limits its concurrency, one for each run.
   */
  queued(count: number, limited?: readonly string[]): void;
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
/**
 * Claims due runs for all workers and assigns them, never more than a worker's capacity. It never polls the store:
 * signals wake it, and an alarm at the time when the next waiting run is due.
 */
export function createClaimLoop(p: ClaimLoopOptions): ClaimLoop {
  const { store, workers, clock, logger } = p;
  const alarm = createAlarm(clock, wake);
  /** The number of due runs: at most `known`, and those of limited targets, or any number if `isUnknown`. */
  let due = { known: 0, isUnknown: false };
  const limited = createLimitedTargets(begin);
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

  const isDue = () => due.isUnknown || due.known > 0 || limited.isDue();

  function wake(): void {
    due.isUnknown = true;
    limited.clear();
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
      const { known, isUnknown } = due;
      const asked = limited.take();
      const count = known + sum(asked.values());
      due = { known: 0, isUnknown: false };
      isClaimingAll = isUnknown || isRetrying || hasSkippedWorkers;
      isRetrying = false;
      const skipped = [...workers.values()].filter(
        (worker) => p.canTakeRuns(worker) && !groups.some(isGroupOf(worker)),
      );
      const now = clock.now();
      try {
        const claiming = claimAll(groups, { now, max: isClaimingAll ? Infinity : count });
        round = Promise.allSettled([claiming]);
        const { claimed, isFull } = await claiming;
        if (isClaimingAll) due.isUnknown ||= isFull;
        else if (isFull) due.known += Math.max(0, count - claimed.length);
        else limited.note(asked, claimed);
        hasSkippedWorkers = skipped.length > 0;
        due.isUnknown ||= skipped.some((worker) => freeSlots(worker) > 0);
        if (isClaimingAll) await setAlarm(groups, now);
        failures = 0;
      } catch (error) {
        const retryMs = Math.min(firstRetryMs * 2 ** failures, maxRetryMs);
        failures += 1;
        logger.warn("could not claim runs, retrying", { error, retryMs });
        due = { known: 0, isUnknown: false }; // the alarm retries the claim
        isRetrying = true;
        if (!isClosed) alarm.setIn(retryMs);
        return;
      } finally {
        isClaimingAll = false;
      }
    }
  }

  /** `isFull`: all slots of a group were filled, so that more may be due. */
  async function claimAll(
    groups: readonly ClaimGroup[],
    { now, max }: { now: number; max: number },
  ): Promise<{ claimed: ClaimedRun[]; isFull: boolean }> {
    const result = { claimed: [] as ClaimedRun[], isFull: false };
    for (const group of groups) {
      const slots = group.slots.slice(0, max);
      const claimed = await claim({ ...group, slots }, now);
      result.claimed.push(...claimed);
      result.isFull ||= claimed.length === group.slots.length;
    }
    return result;
  }

  async function claim(group: ClaimGroup, now: number): Promise<readonly ClaimedRun[]> {
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
      p.onClaimed?.(claimed, group);
      await p.assignRuns(claimed, { workers: before, since: now });
      return claimed;
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
    queued(count, limitedTargets = []) {
      due.known += count - limitedTargets.length;
      limited.add(limitedTargets);
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
      limited.clear();
    },
  };
}

// ---- targets that limit their concurrency ----

const firstPauseMs = 20;
const maxPauseMs = 640;

interface LimitedTarget {
  due: number;
  pauseMs: number;
  /** Set while its new runs wait for more of them. */
  pause?: NodeJS.Timeout | undefined;
}

/**
 * New runs of limited targets. While a target has no room, a claim for them finds none: such claims are made less and
 * less often. The end of one of its runs is a signal, which forgets the pauses.
 */
function createLimitedTargets(onDue: () => void) {
  const targets = new Map<string, LimitedTarget>();

  function forget(name: string): void {
    clearTimeout(targets.get(name)?.pause);
    targets.delete(name);
  }

  function pause(target: LimitedTarget): void {
    target.pause = setTimeout(() => {
      target.pause = undefined;
      onDue();
    }, target.pauseMs);
    target.pauseMs = Math.min(target.pauseMs * 2, maxPauseMs);
  }

  return {
    isDue: () => [...targets.values()].some((target) => target.due > 0 && !target.pause),
    add(names: readonly string[]): void {
      for (const name of names) {
        const target = targets.get(name) ?? { due: 0, pauseMs: firstPauseMs };
        target.due += 1;
        targets.set(name, target);
      }
    },
    /** The number of due runs for each target, which a claim is about to look for. */
    take(): Map<string, number> {
      const asked = new Map<string, number>();
      for (const [name, target] of targets) {
        if (target.due === 0 || target.pause) continue;
        asked.set(name, target.due);
        target.due = 0;
      }
      return asked;
    },
    /** There were free slots, so the runs that were not claimed have no room, or another host has them. */
    note(asked: ReadonlyMap<string, number>, claimed: readonly ClaimedRun[]): void {
      const taken = Map.groupBy(claimed, ({ target }) => targetName(target));
      for (const [name, count] of asked) {
        const target = targets.get(name);
        if (!target) continue;
        if ((taken.get(name)?.length ?? 0) < count) pause(target);
        else if (target.due === 0) forget(name);
      }
    },
    clear: () => [...targets.keys()].forEach(forget),
  };
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

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
