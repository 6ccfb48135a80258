import { createBucketTally } from "../../domain/tallies.ts";
import {
  commitDurationBounds,
  commitWritesBounds,
  type StoreNumbers,
  writeWaitBounds,
} from "../../ports/store/store-numbers.ts";

/** Counts commits and measures the waits for them. */
export interface CommitTally {
  /** Called after the last operation of a transaction, before its COMMIT. */
  beginCommit(): void;
  /** Called after the commit. `since` is the time of each request for a write, in monotonic milliseconds. */
  committed(writes: readonly { since: number }[], isSynced: boolean): void;
  failed(writes: number): void;
  read(): Omit<StoreNumbers, "waitingWrites" | "fileBytes">;
}

export function createCommitTally(): CommitTally {
  const commitWrites = createBucketTally(commitWritesBounds);
  const commitDurations = createBucketTally(commitDurationBounds);
  const writeWaits = createBucketTally(writeWaitBounds);
  let failedWrites = 0;
  let commitStartedAt = 0;
  return {
    beginCommit: () => void (commitStartedAt = performance.now()),
    committed(writes, isSynced) {
      const now = performance.now();
      commitWrites.observe(writes.length);
      if (isSynced) commitDurations.observe((now - commitStartedAt) / 1000);
      for (const { since } of writes) writeWaits.observe((now - since) / 1000);
    },
    failed: (writes) => void (failedWrites += writes),
    read: () => ({
      failedWrites,
      commitWrites: commitWrites.read(),
      commitDurations: commitDurations.read(),
      writeWaits: writeWaits.read(),
    }),
  };
}
