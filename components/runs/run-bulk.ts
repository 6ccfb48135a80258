/** What became of one part. `nextCursor`: where the next begins; `null` at the end. */
export interface BulkAnswer {
  done: number;
  failed: { id: string; message: string }[];
  nextCursor: string | null;
}

/** How far many runs are canceled or replayed. */
export interface BulkProgress {
  done: number;
  failed: { id: string; message: string }[];
  state: "working" | "stopped" | "finished" | "broken";
  /** Why it broke off. */
  error: unknown;
}

export const bulkStart: BulkProgress = { done: 0, failed: [], state: "working", error: null };

/** Asks part by part until the end, until `signal` stops it, or until a part fails; what is done stays done. */
export async function runBulk(p: {
  ask: (cursor: string | null) => Promise<BulkAnswer>;
  signal: AbortSignal;
  onProgress: (progress: BulkProgress) => void;
}): Promise<BulkProgress> {
  let progress = bulkStart;
  const tell = (change: Partial<BulkProgress>) => {
    progress = { ...progress, ...change };
    p.onProgress(progress);
  };
  for (let cursor: string | null = null; progress.state === "working";) {
    if (p.signal.aborted) {
      tell({ state: "stopped" });
      break;
    }
    try {
      const answer = await p.ask(cursor);
      cursor = answer.nextCursor;
      tell({
        done: progress.done + answer.done,
        failed: [...progress.failed, ...answer.failed],
        state: cursor === null ? "finished" : "working",
      });
    } catch (error) {
      tell({ state: "broken", error });
    }
  }
  return progress;
}

const partSize = 50;

/** The parts of chosen runs, by a cursor of our own. */
export function askByIds(
  ids: readonly string[],
  act: (ids: string[]) => Promise<Omit<BulkAnswer, "nextCursor">>,
): (cursor: string | null) => Promise<BulkAnswer> {
  return async (cursor) => {
    const from = Number(cursor ?? 0);
    const to = from + partSize;
    return { ...(await act(ids.slice(from, to))), nextCursor: to < ids.length ? String(to) : null };
  };
}
