import type { Logger } from "../../ports/logger.ts";

/** So much is counted before it is folded at once. */
const mostCounts = 5_000;
const laterMs = 2_000;
const betweenMs = 100;
const afterFailureMs = 30_000;

export interface FoldLater {
  /** So much has been counted. */
  counted(counts: number): void;
  close(): void;
}

/**
 * Has counts folded into counters when a few seconds' worth are together, a portion at a time, so that nobody waits for
 * long.
 */
export function createFoldLater(p: { fold: () => Promise<boolean>; logger: Logger }): FoldLater {
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

  async function run(): Promise<void> {
    [waiting, timer] = [0, null];
    let next: number | null = null;
    try {
      next = (await p.fold()) ? betweenMs : null;
    } catch (error) {
      if (!isClosed) p.logger.warn("could not update the traffic counts, retrying", { error });
      next = afterFailureMs;
    }
    dueAt = Number.POSITIVE_INFINITY;
    if (next !== null) foldAfter(next);
    else if (waiting > 0) foldAfter(laterMs);
  }

  return {
    counted(counts) {
      waiting += counts;
      foldAfter(waiting >= mostCounts ? 0 : laterMs);
    },
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
