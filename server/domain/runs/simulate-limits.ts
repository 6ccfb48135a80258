import type { Concurrency } from "../../contract/project/options.ts";
import type { FlowSimulation, WaitTimes } from "../../contract/flow-simulation.ts";
import { joinKey } from "./key-slots.ts";

/** A recorded run. Times are UTC milliseconds. */
export interface RecordedRun {
  id: string;
  key: string | null;
  createdAt: number;
  startedAt: number;
  /** From its first start, or from its last resume, to its end, with its sleeps and retries. */
  durationMs: number;
  hasFailed: boolean;
  /** A person has replayed a run: no limit would delay that decision. */
  isReplay: boolean;
}

const maxListed = 10;

interface KeyCounts {
  taken: number;
  waiting: Queue<RecordedRun>;
  runs: number;
  waitMs: number;
  maxWaitMs: number;
  maxQueued: number;
  /** Its first run that failed, and the runs that came after its end. */
  blocker: { runId: string; failedAt: number; runs: number } | null;
}

/**
 * Executes recorded runs again by other limits: each arrives when it did, and takes as long as it did. There is always
 * a worker, so runs wait for nothing but the limits. A failed run does not delay the simulated ones; `blocks` counts
 * those that it would block. `runs`: in the order of their creation.
 */
export function simulateLimits(
  runs: readonly RecordedRun[],
  { limit, perKey, onFailure }: Pick<Concurrency, "limit" | "perKey" | "onFailure">,
): Omit<FlowSimulation, "isCapped"> {
  const keys = new Map<string, KeyCounts>();
  const due = createQueue<RecordedRun>();
  const waits: number[] = [];
  /** Running ones, the last to end first. */
  const active: { run: RecordedRun; endAt: number }[] = [];
  let maxConcurrent = 0;

  function countsOf(run: RecordedRun): KeyCounts | null {
    if (!run.key) return null;
    const known = keys.get(run.key);
    if (known) return known;
    const counts: KeyCounts = {
      taken: 0,
      waiting: createQueue(),
      runs: 0,
      waitMs: 0,
      maxWaitMs: 0,
      maxQueued: 0,
      blocker: null,
    };
    keys.set(run.key, counts);
    return counts;
  }

  function arrive(run: RecordedRun): void {
    const counts = countsOf(run);
    if (counts) {
      counts.runs += 1;
      if (counts.blocker && !run.isReplay && run.createdAt >= counts.blocker.failedAt) counts.blocker.runs += 1;
    }
    if (counts && perKey !== null) {
      const { slot } = joinKey({ taken: counts.taken, lastOrder: counts.waiting.size() }, perKey);
      if (slot.keySlot === "waiting") {
        counts.waiting.add(run);
        counts.maxQueued = Math.max(counts.maxQueued, counts.waiting.size());
        return;
      }
      counts.taken += 1;
    }
    due.add(run);
    startDue(run.createdAt);
  }

  function startDue(at: number): void {
    const maxActive = limit ?? Infinity;
    for (let run = takeDue(maxActive); run; run = takeDue(maxActive)) {
      const waitMs = at - run.createdAt;
      waits.push(waitMs);
      const counts = countsOf(run);
      if (counts) {
        counts.waitMs += waitMs;
        counts.maxWaitMs = Math.max(counts.maxWaitMs, waitMs);
      }
      insert(run, at + run.durationMs);
      maxConcurrent = Math.max(maxConcurrent, active.length);
    }
  }

  const takeDue = (maxActive: number) => (active.length < maxActive ? due.take() : undefined);

  function insert(run: RecordedRun, endAt: number): void {
    let [from, to] = [0, active.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((active[middle]?.endAt ?? 0) > endAt) from = middle + 1;
      else to = middle;
    }
    active.splice(from, 0, { run, endAt });
  }

  function endUntil(time: number): void {
    for (let last = active.at(-1); last && last.endAt <= time; last = active.at(-1)) {
      active.pop();
      const { run, endAt } = last;
      const counts = countsOf(run);
      if (counts && perKey !== null && run.hasFailed && onFailure === "block")
        counts.blocker ??= { runId: run.id, failedAt: endAt, runs: counts.waiting.size() };
      if (counts && perKey !== null) {
        const next = counts.waiting.take();
        if (next) due.add(next);
        else counts.taken -= 1;
      }
      startDue(endAt);
    }
  }

  for (const run of runs) {
    endUntil(run.createdAt);
    arrive(run);
  }
  endUntil(Infinity);
  return {
    runs: runs.length,
    runsWithoutKey: runs.filter(({ key }) => !key).length,
    waits: timesOf(waits),
    recordedWaits: timesOf(runs.map(({ createdAt, startedAt }) => Math.max(0, startedAt - createdAt))),
    delayed: waits.filter((ms) => ms > 0).length,
    maxConcurrent,
    busiestKeys: [...keys]
      .filter(([, { waitMs }]) => waitMs > 0)
      .toSorted(([, one], [, other]) => other.waitMs - one.waitMs)
      .slice(0, maxListed)
      .map(([key, counts]) => ({
        key,
        runs: counts.runs,
        waitMs: counts.waitMs,
        maxWaitMs: counts.maxWaitMs,
        maxQueued: counts.maxQueued,
      })),
    ...blocksOf(keys),
  };
}

function blocksOf(keys: ReadonlyMap<string, KeyCounts>): Pick<FlowSimulation, "blockedKeys" | "blocks"> {
  const blocked = [...keys].flatMap(([key, { blocker }]) => (blocker ? [{ key, ...blocker }] : []));
  return {
    blockedKeys: blocked.length,
    blocks: blocked
      .toSorted((one, other) => other.runs - one.runs)
      .slice(0, maxListed)
      .map(({ failedAt, ...rest }) => ({ ...rest, failedAt: new Date(failedAt).toISOString() })),
  };
}

function timesOf(unsorted: readonly number[]): WaitTimes {
  const sorted = unsorted.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

interface Queue<Item> {
  add(item: Item): void;
  take(): Item | undefined;
  size(): number;
}

/** First in, first out, in constant time: keys can have tens of thousands of runs. */
function createQueue<Item>(): Queue<Item> {
  let items: Item[] = [];
  let head = 0;
  return {
    add: (item) => void items.push(item),
    take() {
      const item = items[head];
      if (item === undefined) return undefined;
      head += 1;
      if (head > 1_000 && head * 2 > items.length) [items, head] = [items.slice(head), 0];
      return item;
    },
    size: () => items.length - head,
  };
}
