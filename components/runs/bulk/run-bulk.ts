import type { RunAction } from "../../../server/contract/run-bulk.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import type { RunFilter } from "../list/run-filters.ts";

/** The result of one batch. `nextCursor`: the start of the next batch; `null`: the last batch. */
export interface BatchResult {
  done: number;
  /** Runs that need nothing. */
  skipped: readonly unknown[];
  failed: { id: string; message: string }[];
  nextCursor: string | null;
}

/** The progress of a bulk action. */
export interface BulkProgress {
  done: number;
  skipped: number;
  failed: { id: string; message: string }[];
  state: "working" | "stopped" | "finished" | "broken";
  /** The error that interrupted it. */
  error: unknown;
}

export const bulkStart: BulkProgress = { done: 0, skipped: 0, failed: [], state: "working", error: null };

/** Runs batch after batch until the end, until `signal` aborts, or until a batch fails. Completed batches are kept. */
export async function runBulk({
  runBatch,
  signal,
  onProgress,
}: {
  runBatch: (cursor: string | null) => Promise<BatchResult>;
  signal: AbortSignal;
  onProgress: (progress: BulkProgress) => void;
}): Promise<BulkProgress> {
  let progress = bulkStart;
  const update = (change: Partial<BulkProgress>) => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
  for (let cursor: string | null = null; progress.state === "working";) {
    if (signal.aborted) {
      update({ state: "stopped" });
      break;
    }
    try {
      const batch = await runBatch(cursor);
      cursor = batch.nextCursor;
      update({
        done: progress.done + batch.done,
        skipped: progress.skipped + batch.skipped.length,
        failed: [...progress.failed, ...batch.failed],
        state: cursor === null ? "finished" : "working",
      });
    } catch (error) {
      update({ state: "broken", error });
    }
  }
  return progress;
}

const batchSize = 50;

/** Splits selected ids into batches. The cursor is an offset. */
export function batchesOfIds(
  ids: readonly string[],
  act: (ids: string[]) => Promise<Omit<BatchResult, "nextCursor">>,
): (cursor: string | null) => Promise<BatchResult> {
  return async (cursor) => {
    const from = Number(cursor ?? 0);
    const to = from + batchSize;
    return { ...(await act(ids.slice(from, to))), nextCursor: to < ids.length ? String(to) : null };
  };
}

/** The bulk actions on runs. */
export type BulkAction = RunAction;

/** All runs that match a filter and existed at the time `until`. */
export interface Matching {
  filter: RunFilter;
  until: string;
}

export interface Counted {
  count: number;
  /** There are more. */
  isCapped: boolean;
}

/** `1,204`, or `more than 10,000`. */
export function formatCapped({ count, isCapped }: Counted): string {
  return `${isCapped ? "more than " : ""}${formatNumber(count)}`;
}

/** `1 run`, `12 runs`, `more than 10,000 runs`. */
export function formatRuns(counted: Counted): string {
  return `${formatCapped(counted)} ${counted.count === 1 && !counted.isCapped ? "run" : "runs"}`;
}

/** The filter, limited to runs that existed at a time. */
export function withUntil(filter: RunFilter, until: string): RunFilter {
  return { ...filter, until: filter.until !== undefined && filter.until < until ? filter.until : until };
}
