import Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";
import { beginDiskOperation, duringDiskOperation } from "../../../domain/disk-operation.ts";
import { type CommitTally, createCommitTally, type StoreNumbers } from "../../../domain/tallies.ts";
import type { WriteTerms } from "../../../ports/store/delivery-store.ts";
import { findObstacle } from "../../shared/write-terms.ts";
import type { Connection } from "../file/open-connection.ts";
import { isBusy, isDiskFailure, isUnavailable, toStoreError } from "../store-error.ts";

/**
 * Group commit: operations that are requested during a commit share the next one. A promise resolves only after the
 * commit.
 */
export interface WriteQueue {
  /**
   * Runs a synchronous operation in a write transaction. It can run twice, so it must not have effects outside the
   * database. Default of `durability`: `fsync`. With `terms`, an operation whose caller has stopped waiting does not
   * begin.
   */
  write<T>(operation: () => T, durability?: Durability, terms?: WriteTerms): Promise<T>;
  /**
   * The same for a write that only checks whether the store is writable. Its success does not show that larger writes
   * succeed.
   */
  probe(operation: () => void): Promise<void>;
  /** The last failure of the store: for two seconds, or for up to a minute until a write succeeds. */
  lastFailure(): unknown;
  /** A read failed for reasons of the store. */
  noteFailure(error: unknown): void;
  /** Statistics since the store was opened. */
  numbers(): Omit<StoreNumbers, "fileBytes">;
  /** Writes the waiting operations and rejects new ones. */
  close(): void;
}

/**
 * The durability of a committed write. `fsync`: it survives a power failure. `page-cache`: it survives the end of every
 * process, but not necessarily a power failure. A write that a power failure loses takes all later writes with it: the
 * disk always has a prefix of the writes.
 */
type Durability = "fsync" | "page-cache";

interface Job {
  durability: Durability;
  terms: WriteTerms | undefined;
  isProbe: boolean;
  /** Monotonic milliseconds. */
  since: number;
  operation: () => unknown;
  /** The result of the operation in the last attempt. */
  result: unknown;
  /** Called with the result after the commit. */
  resolve: (result: unknown) => void;
  fail: (error: unknown) => void;
}

const maxBatch = 256;
const maxWaiting = 10_000;
/** Maximum turns of the event loop that a transaction waits for more operations. */
const maxTurns = 8;
/**
 * SQLite waits for a lock by blocking the thread, so no request would be answered. The queue waits instead. Other
 * processes usually commit within milliseconds; after a longer wait the queue tries less often.
 */
const blockingWaitMs = 0;
const longWaitMs = 100;
const retryMs = { soon: 1, long: 20 };
/**
 * How long an operation waits for a lock of another process, and how long if that process has had the lock for longer
 * than that.
 */
const lockTimeoutMs = 5_000;
const stuckLockTimeoutMs = 500;
/** How long a failure is reported: also if smaller writes succeed, and if nothing was written since. */
const failureMs = { always: 2_000, untilSuccess: 60_000 };
/** An invalid row fails alone. After this many consecutive failures of the store, the cause is the disk, not the rows. */
const maxConsecutiveFailures = 3;

interface QueueHooks {
  /** Before the first operation of each attempt at a transaction. */
  onBegin: () => void;
  /** After the last operation, before the commit. */
  onEnd: () => void;
  onWritten: () => void;
  checkFile: () => void;
}

export function createWriteQueue(connection: Connection, p: QueueHooks): WriteQueue {
  connection.pragma(`busy_timeout = ${blockingWaitMs}`);
  const totalChanges = connection.prepare("SELECT total_changes()").pluck();
  const runAll = connection.transaction((jobs: readonly Job[]) => {
    p.onBegin();
    for (const job of jobs) job.result = job.operation();
    p.onEnd();
    tally.beginCommit();
    beginDiskOperation("commit");
  });
  const waiting: Job[] = [];
  const tally = createCommitTally();
  let flushing: NodeJS.Immediate | null = null;
  let retrying: NodeJS.Timeout | null = null;
  /** When the lock became unavailable, and when it was last tried. */
  let lockedSince: number | null = null;
  let lockedAt = 0;
  let failedAt = -Infinity;
  let failedWith: unknown;
  let succeededAt = -Infinity;
  let isClosed = false;
  /** The content of the log is on disk, or will be with the next fsync. */
  let isLogTrusted = true;
  /** The current setting of the connection. It was opened with FULL. */
  let synchronous: "FULL" | "NORMAL" = "FULL";

  function flush(): void {
    flushing = null;
    retrying = null;
    const batch = withdrawUnwanted(waiting.splice(0, maxBatch));
    if (batch.length === 0) return flushSoon();
    try {
      p.checkFile();
    } catch (error) {
      failJobs(tally, batch, error);
      return flushSoon();
    }
    const before = totalChanges.get();
    commit(batch);
    if (totalChanges.get() !== before) p.onWritten();
    flushSoon();
  }

  function flushSoon(): void {
    if (waiting.length > 0 && retrying === null) flushing ??= setImmediate(gather, waiting.length, 1);
  }

  /**
   * A transaction costs about the same for one operation as for many. It waits as long as each turn of the event loop
   * adds operations.
   */
  function gather(before: number, turns: number): void {
    if (waiting.length === before || waiting.length >= maxBatch || turns === maxTurns) return flush();
    flushing = setImmediate(gather, waiting.length, turns + 1);
  }

  function commit(batch: readonly Job[]): void {
    const failure = restartLog() ?? attempt(batch);
    if (!failure) return;
    if (isBusy(failure.error)) return waitForLock(batch, failure.error);
    if (batch.length === 1 || !isLogTrusted) return failJobs(tally, batch, failure.error);
    commitOneByOne(batch);
  }

  /**
   * After a failed fsync, the operating system forgets that those pages are not on disk, and later fsyncs succeed
   * without them. Earlier writes without an fsync of their own can then be missing from the log, and at the next start
   * the log ends at that gap. So everything is first checkpointed into the database file with a new fsync, and the log
   * restarts. Only then are more writes acknowledged. See docs/decisions/0009-disk-failures.md.
   */
  function restartLog(): { error: unknown } | null {
    if (isLogTrusted) return null;
    try {
      const restarted = () => connection.pragma("wal_checkpoint(TRUNCATE)", { simple: true });
      const isBlocked = duringDiskOperation("checkpoint of the log", restarted) !== 0;
      if (isBlocked) return { error: new Database.SqliteError("other connections read the log", "SQLITE_BUSY") };
    } catch (error) {
      return { error };
    }
    isLogTrusted = true;
    return null;
  }

  /** The cause if the transaction failed; `null` if it is committed. */
  function attempt(batch: readonly Job[]): { error: unknown } | null {
    try {
      synchronize(batch.some((job) => job.durability === "fsync") ? "FULL" : "NORMAL");
      duringDiskOperation("write", () => runAll.immediate(batch));
    } catch (error) {
      if (isDiskFailure(error)) isLogTrusted = false;
      if (isUnavailable(error) && !isBusy(error)) noteFailure(error);
      return { error };
    }
    lockedSince = null;
    if (batch.some(({ isProbe }) => !isProbe)) succeededAt = performance.now();
    tally.committed(batch, synchronous === "FULL");
    for (const job of batch) job.resolve(job.result);
    return null;
  }

  /** Rejects the operations that must not begin. Returns the others. */
  function withdrawUnwanted(jobs: readonly Job[]): readonly Job[] {
    return jobs.filter((job) => {
      const obstacle = findObstacle(job.terms);
      if (obstacle) failJobs(tally, [job], obstacle);
      return obstacle === null;
    });
  }

  function noteFailure(error: unknown): void {
    failedAt = performance.now();
    failedWith = toStoreError(error);
  }

  function synchronize(wanted: typeof synchronous): void {
    if (wanted === synchronous) return;
    connection.pragma(`synchronous = ${wanted}`);
    synchronous = wanted;
  }

  function commitOneByOne(batch: readonly Job[]): void {
    let failures = 0;
    for (const [index, job] of batch.entries()) {
      if (withdrawUnwanted([job]).length === 0) continue;
      const failure = attempt([job]);
      if (!failure) {
        failures = 0;
        continue;
      }
      const { error } = failure;
      if (isBusy(error)) return waitForLock(batch.slice(index), error);
      failures = isUnavailable(error) ? failures + 1 : 0;
      if (failures >= maxConsecutiveFailures || !isLogTrusted) return failJobs(tally, batch.slice(index), error);
      failJobs(tally, [job], error);
    }
  }

  /**
   * Returns the operations to the head of the queue, and rejects those that have waited too long. The event loop is not
   * blocked during the wait.
   */
  function waitForLock(batch: readonly Job[], error: unknown): void {
    if (isClosed) return failJobs(tally, batch, error);
    const now = performance.now();
    // The last attempt was long ago: the current holder of the lock may have had it for a moment only.
    if (lockedSince === null || now - lockedAt > lockTimeoutMs) lockedSince = now;
    lockedAt = now;
    const timeoutMs = now - lockedSince > lockTimeoutMs ? stuckLockTimeoutMs : lockTimeoutMs;
    waiting.splice(0, waiting.length, ...withdrawUnwanted([...batch, ...waiting]));
    // An operation that waited for something else, e.g. for a disk that hung, has not waited for the lock.
    const unavailableSince = lockedSince;
    const firstUnexpired = waiting.findIndex(({ since }) => now - Math.max(since, unavailableSince) <= timeoutMs);
    failJobs(tally, waiting.splice(0, firstUnexpired < 0 ? waiting.length : firstUnexpired), error);
    if (waiting.length > 0) retrying = setTimeout(flush, now - lockedSince < longWaitMs ? retryMs.soon : retryMs.long);
  }

  function enqueue<T>(
    operation: () => T,
    { durability, terms, isProbe = false }: Pick<Job, "durability" | "terms"> & { isProbe?: boolean },
  ): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      if (isClosed) return fail(new AppError("store_unavailable", "The store is closed."));
      if (waiting.length >= maxWaiting) {
        tally.failed(1);
        return fail(new AppError("store_unavailable", "Too many writes are waiting for the disk."));
      }
      waiting.push({
        durability,
        terms,
        isProbe,
        since: performance.now(),
        operation,
        result: undefined,
        resolve: (result) => resolve(result as T),
        fail,
      });
      flushSoon();
    });
  }

  return {
    write: (operation, durability = "fsync", terms) => enqueue(operation, { durability, terms }),
    probe: (operation) => enqueue(operation, { durability: "fsync", terms: undefined, isProbe: true }),
    lastFailure: () =>
      performance.now() - failedAt < (succeededAt > failedAt ? failureMs.always : failureMs.untilSuccess)
        ? failedWith
        : undefined,
    noteFailure,
    numbers: () => ({ ...tally.read(), waitingWrites: waiting.length }),
    close() {
      isClosed = true;
      // The process serves nothing else now, so SQLite can block the thread for its lock.
      connection.pragma(`busy_timeout = ${stuckLockTimeoutMs}`);
      while (waiting.length > 0) flush();
      if (flushing) clearImmediate(flushing);
      if (retrying) clearTimeout(retrying);
    },
  };
}

function failJobs(tally: CommitTally, jobs: readonly Job[], cause: unknown): void {
  const error = toStoreError(cause);
  tally.failed(jobs.length);
  for (const job of jobs) job.fail(error);
}
