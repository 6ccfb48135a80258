import type { ClockWatch } from "../../domain/clock-watch.ts";

/** The cursor of a walk through old rows. */
export interface UpkeepCursor {
  at: number;
  id: string;
}

/** The counters of an endpoint and an attachment, of one size. */
export interface CounterCursor {
  bucketMs: number;
  endpoint: string;
  attachmentId: string;
}

/** The result of one batch; `next: null` is the end of the walk. */
export interface UpkeepBatch<Cursor> {
  removed: number;
  next: Cursor | null;
}

/** Sizes of a store in a file. `usedBytes`: its data, without the space that is free in the file. */
interface StoreSize {
  usedBytes: number;
  diskBytes: number;
}

/**
 * Removes old data during live traffic. Each operation is one short transaction (some ten milliseconds) that blocks
 * other writers, and returns a cursor. Safe to run concurrently in several processes. Removed rows can reappear after a
 * power failure, because removals do not wait for the disk.
 */
export interface UpkeepStore {
  /**
   * The receipt time of the oldest delivery to keep, if only this many are kept. `null` if there are no more than that.
   * Requests that were rejected with 401 are not counted: anyone can send them.
   */
  findOldestOf(newest: number): Promise<number | null>;
  /** Removes those of the deliveries (at most 100) that have no run. Resolves to their number. */
  removeRejected(ids: readonly string[]): Promise<number>;
  /**
   * Removes deliveries received before that time, each with its runs, their steps and timelines. A delivery is kept
   * completely as long as one of its runs is open or ended at or after that time. It is also kept as long as an
   * idempotency key accepted at or after `keysSince` refers to it.
   */
  removeOldDeliveries(p: {
    before: number;
    keysSince: number;
    after: UpkeepCursor | null;
  }): Promise<UpkeepBatch<UpkeepCursor>>;
  /** The same for runs that no delivery started. */
  removeOldRuns(p: { before: number; after: UpkeepCursor | null }): Promise<UpkeepBatch<UpkeepCursor>>;
  /** Removes idempotency keys that were accepted before that time. */
  removeOldKeys(p: {
    before: number;
    after: { endpoint: string; key: string } | null;
  }): Promise<UpkeepBatch<{ endpoint: string; key: string }>>;
  /** Removes counters of buckets that ended before that time. */
  removeOldCounters(p: { before: number; after: CounterCursor | null }): Promise<UpkeepBatch<CounterCursor>>;
  /** Removes workers without runs that were not seen since that time. */
  removeOldWorkers(before: number): Promise<number>;
  /** Removes the idempotency keys of requests that started runs before that time. `next: true`: there are more. */
  removeOldStartKeys(p: { before: number }): Promise<UpkeepBatch<true>>;
  /** Removes entries of the audit log that were written before that time. `next: true`: there are more. */
  removeOldAudit(p: { before: number }): Promise<UpkeepBatch<true>>;
  /** Removes sessions that expired before that time, and unfinished sign-ins at a provider. */
  removeExpiredSignIns(p: { before: number }): Promise<UpkeepBatch<true>>;
  /** What was last recorded of the clock. `null`: nothing yet. */
  readClockWatch(): Promise<ClockWatch | null>;
  saveClockWatch(watch: ClockWatch): Promise<void>;
  /** `null`: the store is not on a disk of this machine. */
  readSize(): Promise<StoreSize | null>;
  /** The time up to which deliveries were removed because the store was too large; 0: none were. */
  readRemovedBefore(): Promise<number>;
  /** Records that time. Needs a record of the clock. */
  saveRemovedBefore(at: number): Promise<void>;
  /** Returns some free space of removed rows to the file system. Resolves to whether there is more. */
  releaseSpace(): Promise<boolean>;
}
