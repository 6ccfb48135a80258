import { AppError } from "../../../contract/app-error.ts";
import type { CommitTally } from "../../../domain/tallies.ts";
import { isConflict, isUnavailable, toStoreError } from "../store-error.ts";

/** Jobs that can share a transaction. */
export interface JobGroup<Job, Result> {
  /**
   * Writes the jobs in one transaction. Returns a result for each, or throws after a rollback. `committing` is called
   * before the COMMIT.
   */
  write(jobs: readonly Job[], committing: () => void): Promise<readonly Result[]>;
  maxBatch: number;
  /** Two jobs of the same name are never in one batch. */
  nameOf?(job: Job): string;
}

/**
 * Group commit: jobs of a group that are requested during a transaction share the next one. A promise resolves only
 * after the commit. All jobs are written in the order of the requests, one transaction at a time.
 */
export interface WriteLane {
  add<Job, Result>(group: JobGroup<Job, Result>, job: Job): Promise<Result>;
  waitingWrites(): number;
  /** Rejects new jobs. Resolves when the waiting jobs are written. */
  close(): Promise<void>;
}

interface Waiting {
  group: JobGroup<unknown, unknown>;
  job: unknown;
  /** Monotonic milliseconds. */
  since: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Under load, a lane that gathers waits this long for a batch of this size. A batch has fixed costs in this process and
 * in the database, so several processes with small batches are slower than one with large ones. A shorter wait gains
 * nothing: the next requests arrive when the senders have their responses.
 */
const gather = { size: 20, ms: 2 };
/** A batch of this size shows load. Without load, no write waits. */
const sizeUnderLoad = 8;

const maxWaiting = 10_000;
/**
 * If the database cannot be reached, jobs that have waited this long fail immediately, instead of waiting for their own
 * try.
 */
const maxWaitMs = 4_000;
const tries = 4;

export function createWriteLane(tally: CommitTally, { gathers = false } = {}): WriteLane {
  const waiting: Waiting[] = [];
  let isUnderLoad = false;
  let stopGathering: (() => void) | null = null;
  let isClosed = false;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      // Jobs that are requested in the same turn of the event loop share a commit.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (gathers && isUnderLoad && waiting.length < gather.size) await gatherMore();
      const batch = takeBatch();
      isUnderLoad = batch.length >= sizeUnderLoad;
      const [first] = batch;
      if (first) await commit(first.group, batch);
    }
    working = null;
  }

  function gatherMore(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(stop, gather.ms);
      function stop(): void {
        clearTimeout(timer);
        stopGathering = null;
        resolve();
      }
      stopGathering = stop;
    });
  }

  function takeBatch(): Waiting[] {
    const group = waiting[0]?.group;
    const names = new Set<string>();
    const end = waiting.findIndex((one, at) => {
      if (one.group !== group || at >= group.maxBatch) return true;
      const name = group.nameOf?.(one.job);
      if (name === undefined) return false;
      const isTaken = names.has(name);
      names.add(name);
      return isTaken;
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function commit(group: JobGroup<unknown, unknown>, batch: readonly Waiting[]): Promise<void> {
    const failure = await attempt(group, batch);
    if (!failure) return;
    const [only] = batch;
    // The database is unavailable for all of them.
    if (isUnavailable(failure.error)) return failAll([...batch, ...takeLate()], failure.error);
    if (batch.length === 1 && only) return retryAlone(group, only, failure.error);
    // An invalid row fails alone.
    for (const [at, one] of batch.entries()) {
      const alone = await attempt(group, [one]);
      if (alone && isUnavailable(alone.error)) return failAll(batch.slice(at), alone.error);
      if (alone) await retryAlone(group, one, alone.error);
    }
  }

  function takeLate(): Waiting[] {
    const since = performance.now() - maxWaitMs;
    const end = waiting.findIndex((one) => one.since > since);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  /** The cause if the transaction failed; `null` if it is committed. */
  async function attempt(
    group: JobGroup<unknown, unknown>,
    batch: readonly Waiting[],
  ): Promise<{ error: unknown } | null> {
    try {
      const results = await group.write(
        batch.map(({ job }) => job),
        tally.beginCommit,
      );
      tally.committed(batch, true);
      for (const [at, one] of batch.entries()) one.resolve(results[at]);
      return null;
    } catch (error) {
      return { error };
    }
  }

  /** Repeats a transaction that was rolled back because it conflicted with another one. */
  async function retryAlone(group: JobGroup<unknown, unknown>, one: Waiting, first: unknown): Promise<void> {
    let error = first;
    for (let tried = 1; isConflict(error) && tried < tries; tried += 1) {
      const failure = await attempt(group, [one]);
      if (!failure) return;
      ({ error } = failure);
    }
    failAll([one], error);
  }

  function failAll(batch: readonly Waiting[], cause: unknown): void {
    const error = toStoreError(cause);
    tally.failed(batch.length);
    for (const { reject } of batch) reject(error);
  }

  return {
    add: <Job, Result>(group: JobGroup<Job, Result>, job: Job) =>
      new Promise<Result>((resolve, reject) => {
        if (isClosed) return reject(new AppError("store_unavailable", "The store is closed."));
        if (waiting.length >= maxWaiting)
          return reject(new AppError("store_unavailable", "Too many writes are waiting for the database."));
        waiting.push({ group, job, since: performance.now(), resolve, reject });
        working ??= work();
        if (waiting.length >= gather.size) stopGathering?.();
      }),
    waitingWrites: () => waiting.length,
    async close() {
      isClosed = true;
      stopGathering?.();
      await working;
    },
  };
}
