/** Where a walk through old rows goes on. */
export interface UpkeepPlace {
  at: number;
  id: string;
}

/** The counters of an endpoint and an attachment, of one size. */
export interface CounterPlace {
  bucketMs: number;
  endpoint: string;
  attachmentId: string;
}

/** What one batch removed; `next: null` is the end of the walk. */
export interface UpkeepBatch<Place> {
  removed: number;
  next: Place | null;
}

/**
 * Removes what is old, beside live traffic: each verb is one short transaction (some ten milliseconds) that others wait
 * for, and says where to go on. Two processes that remove at once do what one would. What was removed may be there
 * again after a power cut; nothing waits for the disk.
 */
export interface UpkeepStore {
  /**
   * When the oldest of so many newest deliveries was received: what is older is more than is to be kept. `null`: there
   * are not more.
   */
  findOldestOf(newest: number): Promise<number | null>;
  /**
   * Removes deliveries that were received before that time, each with its runs, their steps and timelines. One stays,
   * whole, as long as a run of its own is open or ended at that time or later, or a key that was accepted at
   * `keysSince` or later names it.
   */
  removeOldDeliveries(p: {
    before: number;
    keysSince: number;
    after: UpkeepPlace | null;
  }): Promise<UpkeepBatch<UpkeepPlace>>;
  /** The same for runs that no delivery started. */
  removeOldRuns(p: { before: number; after: UpkeepPlace | null }): Promise<UpkeepBatch<UpkeepPlace>>;
  /** Forgets idempotency keys that were accepted before that time. */
  removeOldKeys(p: {
    before: number;
    after: { endpoint: string; key: string } | null;
  }): Promise<UpkeepBatch<{ endpoint: string; key: string }>>;
  /** Removes what was counted in buckets that were over before that time. */
  removeOldCounters(p: { before: number; after: CounterPlace | null }): Promise<UpkeepBatch<CounterPlace>>;
  /** Removes workers that were not seen since, and hold nothing. */
  removeOldWorkers(before: number): Promise<number>;
  /** Removes entries of the audit log that were written before that time. `next: true`: there are more. */
  removeOldAudit(p: { before: number }): Promise<UpkeepBatch<true>>;
  /** Removes sessions that expired before that time, and sign-ins at a provider that were not finished by then. */
  removeExpiredSignIns(p: { before: number }): Promise<UpkeepBatch<true>>;
  /** Gives some of the room that removed rows left back to the file system; says whether there is more to give. */
  releaseSpace(): Promise<boolean>;
}
