/** How much one transaction of upkeep does: webhooks wait for it. */
export interface BatchBound {
  looked(): void;
  removed(rows: number): void;
  isReached(): boolean;
  /** The same once something was removed: each transaction gets a little further, however slow the rows are. */
  isReachedByRemoving(): boolean;
}

const mostRows = 500;
const mostMs = 8;

export function createBatchBound(): BatchBound {
  const endsAt = performance.now() + mostMs;
  let [looks, removed] = [0, 0];
  const isReached = () => looks + removed >= mostRows || (looks + removed > 0 && performance.now() > endsAt);
  return {
    looked: () => void (looks += 1),
    removed: (rows) => void (removed += rows),
    isReached,
    isReachedByRemoving: () => removed > 0 && isReached(),
  };
}
