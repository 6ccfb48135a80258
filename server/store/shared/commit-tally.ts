import { createBucketTally } from "../../domain/bucket-tally.ts";
import {
  commitDurationBounds,
  commitWritesBounds,
  type StoreNumbers,
  writeWaitBounds,
} from "../../ports/store/store-numbers.ts";

/** Counts commits and what waited for them. */
export interface CommitTally {
  /** After the last verb of a transaction, before its COMMIT. */
  beginCommit(): void;
  /** It is on disk. `since`: when each of its writes was asked for, in monotonic milliseconds. */
  committed(writes: readonly { since: number }[], isSynced: boolean): void;
  failed(writes: number): void;
  read(): Omit<StoreNumbers, "waitingWrites" | "fileBytes">;
}

export function createCommitTally(): CommitTally {
  const commitWrites = createBucketTally(commitWritesBounds);
  const commitDurations = createBucketTally(commitDurationBounds);
  const writeWaits = createBucketTally(writeWaitBounds);
  let failedWrites = 0;
  let begunAt = 0;
  return {
    beginCommit: () => void (begunAt = performance.now()),
    committed(writes, isSynced) {
      const now = performance.now();
      commitWrites.observe(writes.length);
      if (isSynced) commitDurations.observe((now - begunAt) / 1000);
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
