import type { Logger } from "../../../ports/logger.ts";

const delayMs = 2_000;
const retryMs = 30_000;

interface FoldOptions {
  /** Folds a batch. Returns whether there can be more. */
  fold: () => Promise<boolean>;
  /** Name of the folded data, for log messages. */
  what: string;
  /** Number of counts that are folded immediately. Default: 5,000. */
  maxCounts?: number;
  /** Pause after a batch, in milliseconds. Default: 100. */
  betweenMs?: number;
  logger: Logger;
}

export interface FoldLater {
  /** Adds to the number of waiting counts. */
  counted(counts: number): void;
  /** Sets the number of waiting counts. */
  waits(counts: number): void;
  close(): void;
}

/**
 * Schedules the folding of counts into counters, or of rows into the list index. It starts after two seconds, or
 * immediately if many counts are waiting. It folds one batch at a time, so that other writes are not blocked for long.
 */
export function createFoldLater({ maxCounts = 5_000, betweenMs = 100, ...p }: FoldOptions): FoldLater {
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

  function setWaiting(counts: number): void {
    waiting = counts;
    foldAfter(waiting >= maxCounts ? 0 : delayMs);
  }

  async function run(): Promise<void> {
    [waiting, timer] = [0, null];
    let next: number | null = null;
    try {
      next = (await p.fold()) ? betweenMs : null;
    } catch (error) {
      if (!isClosed) p.logger.warn(`could not update ${p.what}, retrying`, { error });
      next = retryMs;
    }
    dueAt = Number.POSITIVE_INFINITY;
    if (next !== null) foldAfter(next);
    else if (waiting > 0) foldAfter(delayMs);
  }

  return {
    counted: (counts) => setWaiting(waiting + counts),
    waits: setWaiting,
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
