/** Limits one transaction of upkeep, because webhooks wait for it. */
export interface BatchBound {
  examined(): void;
  removed(rows: number): void;
  isReached(): boolean;
  /** The same, but only after a removal: each transaction makes progress, even if the rows are slow. */
  isReachedByRemoving(): boolean;
}

const maxRows = 500;
const maxMs = 8;

export function createBatchBound(): BatchBound {
  const endsAt = performance.now() + maxMs;
  let [examinedRows, removedRows] = [0, 0];
  const isReached = () =>
    examinedRows + removedRows >= maxRows || (examinedRows + removedRows > 0 && performance.now() > endsAt);
  return {
    examined: () => void (examinedRows += 1),
    removed: (rows) => void (removedRows += rows),
    isReached,
    isReachedByRemoving: () => removedRows > 0 && isReached(),
  };
}
