import { AppError } from "../../../contract/app-error.ts";
import type { CommitTally } from "../../../domain/tallies.ts";
import type { WriteTerms } from "../../../ports/store/delivery-store.ts";
import { findObstacle } from "../../shared/write-terms.ts";
import { isConflict, isOfOneRow, toStoreError } from "../store-error.ts";

/** Jobs that can share a transaction. */
export interface JobGroup<Job, Result> {
  /** Writes the jobs in one transaction. Returns a result for each, or throws after a rollback. */
  write(jobs: readonly Job[], p: BatchTerms): Promise<readonly Result[]>;
  maxBatch: number;
  /** Two jobs of the same name are never in one batch. */
  nameOf?(job: Job): string;
}

export interface BatchTerms {
  /** Called before the COMMIT. */
  committing: () => void;
  /** By `performance.now()`: when the transaction has ended at the latest. */
  endBy: number;
}

/**
 * Group commit: jobs of a group that are requested during a transaction share the next one. A promise resolves only
 * after the commit. All jobs are written in the order of the requests, one transaction at a time. A job whose caller
 * has stopped waiting does not begin.
 */
export interface WriteLane {
  add<Job, Result>(group: JobGroup<Job, Result>, job: Job, terms?: WriteTerms): Promise<Result>;
  waitingWrites(): number;
  /** Rejects new jobs. Resolves when the waiting jobs are written. */
  close(): Promise<void>;
}

interface Waiting {
  group: JobGroup<unknown, unknown>;
  job: unknown;
  terms: WriteTerms | undefined;
  /** Monotonic milliseconds. */
  since: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A transaction that was rolled back, and those of its jobs that still wait. */
interface Failure {
  error: unknown;
  batch: readonly Waiting[];
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
 * If the database cannot be used, jobs that have waited this long fail immediately, instead of waiting for their own
 * try.
 */
const maxWaitMs = 4_000;
const tries = 4;
/** A transaction begins only if its jobs can wait this long for its end. */
const minTransactionMs = 2_000;

export function createWriteLane(tally: CommitTally, { gathers = false } = {}): WriteLane {
  const waiting: Waiting[] = [];
  let isUnderLoad = false;
  let stopGathering: (() => void) | null = null;
  let isClosed = false;
  let working: Promise<void> | null = null;
  let withdrawing: NodeJS.Timeout | null = null;

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
    // The next one would wait as long, and then fail as well.
    if (!isOfOneRow(failure.error)) return failAll([...failure.batch, ...takeLate()], failure.error);
    if (failure.batch.length === 1) return failAll(failure.batch, failure.error);
    // An invalid row fails alone.
    for (let rest = withdrawUnwanted(failure.batch); rest.length > 0; rest = withdrawUnwanted(rest.slice(1))) {
      const alone = await attempt(group, rest.slice(0, 1), firstLimit(rest));
      if (!alone) continue;
      if (!isOfOneRow(alone.error)) return failAll([...rest, ...takeLate()], alone.error);
      failAll(alone.batch, alone.error);
    }
  }

  function takeLate(): Waiting[] {
    const since = performance.now() - maxWaitMs;
    const end = waiting.findIndex((one) => one.since > since);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  /**
   * `null` if it is committed, or none of its jobs is wanted any more. A transaction that was rolled back because it
   * conflicted with another one is repeated. `endBy`: when the others that wait for its end stop waiting.
   */
  async function attempt(
    group: JobGroup<unknown, unknown>,
    given: readonly Waiting[],
    endBy = Infinity,
  ): Promise<Failure | null> {
    let failure: Failure | null = null;
    for (let tried = 0; tried < tries && (failure === null || isConflict(failure.error)); tried += 1) {
      const batch = withdrawUnwanted(failure?.batch ?? given);
      if (batch.length === 0) return null;
      failure = await attemptOnce(group, batch, Math.min(endBy, firstLimit(batch)));
      if (!failure) return null;
    }
    return failure;
  }

  async function attemptOnce(
    group: JobGroup<unknown, unknown>,
    batch: readonly Waiting[],
    endBy: number,
  ): Promise<Failure | null> {
    try {
      const jobs = batch.map(({ job }) => job);
      const results = await group.write(jobs, { committing: tally.beginCommit, endBy });
      tally.committed(batch, true);
      for (const [at, one] of batch.entries()) one.resolve(results[at]);
      return null;
    } catch (error) {
      return { error, batch };
    }
  }

  /** Rejects the jobs that must not begin. Returns the others. */
  function withdrawUnwanted(batch: readonly Waiting[]): readonly Waiting[] {
    const wanted = batch.filter((one) => {
      const obstacle = findObstacle(one.terms, minTransactionMs);
      if (obstacle) failAll([one], obstacle);
      return obstacle === null;
    });
    return wanted.length === batch.length ? batch : wanted;
  }

  /** Rejects waiting jobs when it is too late for them to begin, also while a transaction waits for the database. */
  function withdrawLater(): void {
    const by = firstLimit(waiting);
    if (by === Infinity) return;
    withdrawing ??= setTimeout(
      () => {
        withdrawing = null;
        waiting.splice(0, waiting.length, ...withdrawUnwanted(waiting));
        withdrawLater();
      },
      Math.max(1, by - minTransactionMs - performance.now()),
    ).unref();
  }

  function failAll(batch: readonly Waiting[], cause: unknown): void {
    const error = toStoreError(cause);
    tally.failed(batch.length);
    for (const { reject } of batch) reject(error);
  }

  return {
    add: <Job, Result>(group: JobGroup<Job, Result>, job: Job, terms?: WriteTerms) =>
      new Promise<Result>((resolve, reject) => {
        if (isClosed) return reject(new AppError("store_unavailable", "The store is closed."));
        if (waiting.length >= maxWaiting)
          return reject(new AppError("store_unavailable", "Too many writes are waiting for the database."));
        waiting.push({ group, job, terms, since: performance.now(), resolve, reject });
        working ??= work();
        if (terms && !withdrawing) withdrawLater();
        if (waiting.length >= gather.size) stopGathering?.();
      }),
    waitingWrites: () => waiting.length,
    async close() {
      isClosed = true;
      stopGathering?.();
      await working;
      if (withdrawing) clearTimeout(withdrawing);
    },
  };
}

/** When the first of their callers stops waiting. */
function firstLimit(jobs: readonly Waiting[]): number {
  return jobs.reduce((by, { terms }) => Math.min(by, terms?.by ?? by), Infinity);
}
