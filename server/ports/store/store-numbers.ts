import type { BucketCounts } from "../../domain/tallies.ts";

/** Seconds. */
export const commitDurationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** Seconds. */
export const writeWaitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
export const commitWritesBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Statistics of a store in this process since it was opened. */
export interface StoreNumbers {
  /** Writes that currently wait for the disk. */
  waitingWrites: number;
  /** Failed writes: each caller got an error. */
  failedWrites: number;
  /** Writes that shared a commit. */
  commitWrites: BucketCounts;
  /** Seconds that a commit with an fsync took. */
  commitDurations: BucketCounts;
  /** Seconds from the request of a write until it was on disk. */
  writeWaits: BucketCounts;
  /** Bytes of the files on disk; 0 for a missing file. */
  fileBytes: { database: number; log: number };
}
