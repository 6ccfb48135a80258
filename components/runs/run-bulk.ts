/** The result of one batch. `nextCursor`: the start of the next batch; `null`: the last batch. */
export interface BulkAnswer {
  done: number;
  failed: { id: string; message: string }[];
  nextCursor: string | null;
}

/** The progress of a bulk action. */
export interface BulkProgress {
  done: number;
  failed: { id: string; message: string }[];
  state: "working" | "stopped" | "finished" | "broken";
  /** The error that interrupted it. */
  error: unknown;
}

export const bulkStart: BulkProgress = { done: 0, failed: [], state: "working", error: null };

/** Runs batch after batch until the end, until `signal` aborts, or until a batch fails. Completed batches are kept. */
export async function runBulk(p: {
  ask: (cursor: string | null) => Promise<BulkAnswer>;
  signal: AbortSignal;
  onProgress: (progress: BulkProgress) => void;
}): Promise<BulkProgress> {
  let progress = bulkStart;
  const update = (change: Partial<BulkProgress>) => {
    progress = { ...progress, ...change };
    p.onProgress(progress);
  };
  for (let cursor: string | null = null; progress.state === "working";) {
    if (p.signal.aborted) {
      update({ state: "stopped" });
      break;
    }
    try {
      const answer = await p.ask(cursor);
      cursor = answer.nextCursor;
      update({
        done: progress.done + answer.done,
        failed: [...progress.failed, ...answer.failed],
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
export function askByIds(
  ids: readonly string[],
  act: (ids: string[]) => Promise<Omit<BulkAnswer, "nextCursor">>,
): (cursor: string | null) => Promise<BulkAnswer> {
  return async (cursor) => {
    const from = Number(cursor ?? 0);
    const to = from + batchSize;
    return { ...(await act(ids.slice(from, to))), nextCursor: to < ids.length ? String(to) : null };
  };
}
