import type { Logger } from "../../ports/logger.ts";

const laterMs = 2_000;
const afterFailureMs = 30_000;

interface FoldOptions {
  /** Folds a portion; returns whether there may be more. */
  fold: () => Promise<boolean>;
  /** What is folded, for the log. */
  what: string;
  /** So much is counted before it is folded at once. Default: 5,000. */
  mostCounts?: number;
  /** The pause after a portion. Default: 100. */
  betweenMs?: number;
  logger: Logger;
}

export interface FoldLater {
  /** So much more has been counted. */
  counted(counts: number): void;
  /** So much waits in total. */
  waits(counts: number): void;
  close(): void;
}

/**
 * Has counts folded into counters, or rows into the list index, when a few seconds' worth are together: a portion at a
 * time, so that other writes do not wait for long.
 */
export function createFoldLater({ mostCounts = 5_000, betweenMs = 100, ...p }: FoldOptions): FoldLater {
  let waiting = 0;
  let timer: NodeJS.Timeout | null = null;
  let dueAt = Number.POSITIVE_INFINITY;
  let isClosed = false;

  function foldAfter(ms: number): void {
    const at = performance.now() + ms;
    if (isClosed || dueAt <= at) return;
    if (timer) clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void run(), ms).unref();
  }

  function wait(counts: number): void {
    waiting = counts;
    foldAfter(waiting >= mostCounts ? 0 : laterMs);
  }

  async function run(): Promise<void> {
    [waiting, timer] = [0, null];
    let next: number | null = null;
    try {
      next = (await p.fold()) ? betweenMs : null;
    } catch (error) {
      if (!isClosed) p.logger.warn(`could not update ${p.what}, retrying`, { error });
      next = afterFailureMs;
    }
    dueAt = Number.POSITIVE_INFINITY;
    if (next !== null) foldAfter(next);
    else if (waiting > 0) foldAfter(laterMs);
  }

  return {
    counted: (counts) => wait(waiting + counts),
    waits: wait,
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
