import { AppError } from "../../contract/app-error.ts";
import type { CommitTally } from "../../domain/tallies.ts";
import { isConflict, isUnavailable, toStoreError } from "./store-error.ts";

/** Jobs that one transaction can do together. */
export interface JobGroup<Job, Result> {
  /**
   * One transaction: a result for each job, or it throws, and nothing of it is there. `committing` is called before its
   * COMMIT.
   */
  write(jobs: readonly Job[], committing: () => void): Promise<readonly Result[]>;
  maxBatch: number;
  /** Two jobs of the same name are never in one batch. */
  nameOf?(job: Job): string;
}

/**
 * Group commit: jobs of a group that come in while a transaction is under way share the next one, and each is told only
 * after its commit. All jobs are done in the order in which they came, one transaction at a time.
 */
export interface WriteLane {
  add<Job, Result>(group: JobGroup<Job, Result>, job: Job): Promise<Result>;
  waitingWrites(): number;
  /** Takes nothing more; resolves when what waits is written. */
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

const maxWaiting = 10_000;
/**
 * Where the database cannot be reached, whoever has waited this long is told so, rather than waiting for a try of their
 * own.
 */
const longestWaitMs = 4_000;
const tries = 4;

export function createWriteLane(tally: CommitTally): WriteLane {
  const waiting: Waiting[] = [];
  let isClosed = false;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      // What comes in the same turn of the event loop shares a commit.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      const [first] = batch;
      if (first) await commit(first.group, batch);
    }
    working = null;
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
    // What the database cannot do now it cannot do for any of them.
    if (isUnavailable(failure.error)) return failAll([...batch, ...takeLate()], failure.error);
    if (batch.length === 1 && only) return retryAlone(group, only, failure.error);
    // A bad row fails alone.
    for (const [at, one] of batch.entries()) {
      const alone = await attempt(group, [one]);
      if (alone && isUnavailable(alone.error)) return failAll(batch.slice(at), alone.error);
      if (alone) await retryAlone(group, one, alone.error);
    }
  }

  function takeLate(): Waiting[] {
    const since = performance.now() - longestWaitMs;
    const end = waiting.findIndex((one) => one.since > since);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  /** Why the transaction failed; `null` when it is on disk. */
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

  /** Two transactions that waited for each other: one of them was undone, and may simply come again. */
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
      }),
    waitingWrites: () => waiting.length,
    async close() {
      isClosed = true;
      await working;
    },
  };
}
