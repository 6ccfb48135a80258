import { setImmediate as realImmediate, setTimeout as realTimeout } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * When work runs on the event loop. Turns and batches leave time for the webhooks that the same process receives. Other
 * work runs once, once per turn, on the next tick, after a time, or at an interval.
 */

/** Runs a slice of work when it is its turn. */
type InTurn = <Result>(slice: () => Result | Promise<Result>) => Promise<Result>;

interface TurnOptions {
  now?: () => number;
  /** Calls back after this many milliseconds; 0 is the next iteration of the event loop. */
  after?: (ms: number, callback: () => void) => void;
}

/**
 * For long reads on the event loop that also receives webhooks. Slices run one at a time, in order of arrival. After
 * each, the loop is free for at least as long as the slice took, so all readers together use at most half of it.
 */
export function createTurns({ now = () => performance.now(), after = afterMs }: TurnOptions = {}): InTurn {
  const waiting: (() => Promise<void>)[] = [];
  let isTaken = false;

  async function takeNext(): Promise<void> {
    const slice = waiting.shift();
    isTaken = slice !== undefined;
    if (!slice) return;
    const began = now();
    await slice();
    after(Math.floor(now() - began), () => void takeNext());
  }

  return (slice) =>
    new Promise((resolve, reject) => {
      waiting.push(async () => {
        try {
          resolve(await slice());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (!isTaken) void takeNext();
    });
}

function afterMs(ms: number, callback: () => void): void {
  // Not the global timers: a pause is real time for this thread, even if a test has replaced the timers.
  if (ms > 0) realTimeout(callback, ms);
  else realImmediate(callback);
}

/** The turns of this process, which has one event loop. */
export const inTurn: InTurn = createTurns();

/** Processes items in batches of `size`, and handles other events between two batches. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  { size, work }: { size: number; work: (batch: Item[]) => Promise<Result[]> },
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextTurn();
    results.push(...(await work(items.slice(at, at + size))));
  }
  return results;
}

/**
 * Loads each key once per turn of the event loop and shares the result among all callers in that turn. Nothing is
 * cached longer: the next turn loads again, so changes take effect. A failure is shared, too.
 */
export function oncePerTurn<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  let loading = new Map<string, Promise<T>>();
  return (key) => {
    const known = loading.get(key);
    if (known) return known;
    if (loading.size === 0) setImmediate(() => void (loading = new Map()));
    const result = load(key);
    loading.set(key, result);
    return result;
  };
}

let turn = 0;
let isTurnEnding = false;

/** The same number in one turn of the event loop, another one later. */
export function currentTurn(): number {
  if (!isTurnEnding) {
    isTurnEnding = true;
    realImmediate(() => {
      turn += 1;
      isTurnEnding = false;
    });
  }
  return turn;
}

/** Calls `action` the first time only, also if the action calls the returned function. */
export function once<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    action(...args);
  };
}

const maxTimerMs = 2 ** 31 - 1;

/** `setTimeout` without its limit of 25 days. Returns a function that stops it. */
export function setLongTimeout(callback: () => void, delayMs: number): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const partMs = Math.min(Math.max(0, leftMs), maxTimerMs);
    timer = setTimeout(() => (leftMs > partMs ? arm(leftMs - partMs) : callback()), partMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}

/**
 * The result, or a rejection with the error if there is no result by then. `by`: by `performance.now()`. A process that
 * was paused first handles the events that it has missed: one of them may be the result.
 */
export async function resultBy<Result>(by: number, result: Promise<Result>, toError: () => Error): Promise<Result> {
  if (by === Infinity) return result;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => late.reject(toError())), Math.max(0, by - performance.now()));
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats a task at an interval. A tick is skipped if the task is still in progress. Failures are passed to `onError`.
 * Returns a function that stops it.
 */
export function repeat(p: {
  everyMs: number;
  task: () => Promise<unknown>;
  onError: (error: unknown) => void;
}): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void p
      .task()
      .catch(p.onError)
      .finally(() => (isBusy = false));
  }, p.everyMs);
  return () => clearInterval(timer);
}

/** Work in progress, e.g. writes. Cheap: it keeps no list. */
export interface WorkInProgress {
  /** Call the result when the work is done. */
  begin(): () => void;
  /** Resolves when all work that has begun so far is done. */
  settled(): Promise<void>;
}

export function trackWork(): WorkInProgress {
  let earlier: Promise<unknown> = Promise.resolve();
  let current = createWorkGroup();
  return {
    begin: () => current.begin(),
    async settled() {
      const group = current;
      current = createWorkGroup();
      earlier = Promise.all([earlier, group.close()]);
      await earlier;
    },
  };
}

/** The work that begins before `close`, whose promise resolves when all of it is done. */
function createWorkGroup() {
  const done = Promise.withResolvers<void>();
  let active = 0;
  let isClosed = false;
  const end = () => {
    active -= 1;
    if (isClosed && active === 0) done.resolve();
  };
  return {
    begin() {
      active += 1;
      return end;
    },
    close() {
      isClosed = true;
      if (active === 0) done.resolve();
      return done.promise;
    },
  };
}

/** Listeners, e.g. for changes of the store. */
export interface Listeners {
  /**
   * Returns a function that removes the listener. The same function can be added twice. `onLast` is called when the
   * last listener is removed.
   */
  add(listener: () => void, onLast: () => void): () => void;
  /** Calls all listeners on the next tick: once, even if it is called several times before that. */
  notify(): void;
  isEmpty(): boolean;
  clear(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  let isScheduled = false;
  return {
    add(listener, onLast) {
      // One entry for each call, so that the same function can be added twice.
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) onLast();
      };
    },
    notify() {
      if (isScheduled || listeners.size === 0) return;
      isScheduled = true;
      process.nextTick(() => {
        isScheduled = false;
        for (const listener of listeners) listener();
      });
    },
    isEmpty: () => listeners.size === 0,
    clear: () => listeners.clear(),
  };
}
