import Database from "better-sqlite3";
import { AppError } from "../../contract/app-error.ts";
import type { StoreNumbers } from "../../ports/store/store-numbers.ts";
import { type CommitTally, createCommitTally } from "../shared/commit-tally.ts";
import type { Connection } from "./open-connection.ts";
import { isBusy, isDiskFailure, isUnavailable, toStoreError } from "./store-error.ts";

/**
 * Group commit: verbs that come in while a commit is under way share the next one, and each is told only after its
 * fsync.
 */
export interface WriteQueue {
  /**
   * Runs a synchronous verb inside a write transaction. The verb may be run twice: it must not leave traces outside the
   * database.
   */
  write<T>(verb: () => T, survives?: Survival): Promise<T>;
  /** The same for a write that only shows whether the store can be written. Its success says nothing of larger ones. */
  probe(verb: () => void): Promise<void>;
  /** Why the store failed, where that was a moment ago, or within a minute and no write has succeeded since. */
  lastFailure(): unknown;
  /** A read failed for reasons of the store. */
  noteFailure(error: unknown): void;
  /** How it fared so far. */
  numbers(): Omit<StoreNumbers, "fileBytes">;
  /** Writes what waits, and takes nothing more. */
  close(): void;
}

/**
 * What a verb's effect must outlive once it is told: `power` is an fsync, `kill` is not (the page cache outlives every
 * process). A verb that is lost with the power takes all later ones with it: what is on disk is always a beginning of
 * what was written.
 */
type Survival = "power" | "kill";

interface Job {
  survives: Survival;
  isProbe: boolean;
  /** Monotonic milliseconds. */
  since: number;
  run(): void;
  /** After the commit. */
  succeed(): void;
  fail(error: unknown): void;
}

const maxBatch = 256;
const maxWaiting = 10_000;
/** For how many turns of the event loop a transaction waits for more verbs, at most. */
const mostTurns = 8;
/**
 * SQLite waits for a lock by sleeping, and nobody is answered meanwhile: the queue waits instead. A commit of another
 * process takes a moment; what takes longer is asked for less often.
 */
const sleepForLockMs = 0;
const isLongMs = 100;
const betweenTriesMs = { soon: 1, long: 20 };
/** How long a verb waits for a lock that another process holds; and how long once that process has held it for so long. */
const waitForLockMs = 5_000;
const waitForStuckLockMs = 500;
/** For how long a failure counts: also when smaller writes succeed, and when nothing was written since. */
const failureMs = { always: 2_000, untilSuccess: 60_000 };
/** A bad row fails alone; where so many in a row find the disk unwilling, it is not the rows. */
const failuresToBeSure = 3;

interface QueueHooks {
  /** Before the first verb of each attempt at a transaction. */
  onBegin: () => void;
  /** After its last verb, still inside the transaction. */
  onEnd: () => void;
  onWritten: () => void;
  checkFile: () => void;
}

export function createWriteQueue(connection: Connection, p: QueueHooks): WriteQueue {
  connection.pragma(`busy_timeout = ${sleepForLockMs}`);
  const totalChanges = connection.prepare("SELECT total_changes()").pluck();
  const runAll = connection.transaction((jobs: readonly Job[]) => {
    p.onBegin();
    for (const job of jobs) job.run();
    p.onEnd();
    tally.beginCommit();
  });
  const waiting: Job[] = [];
  const tally = createCommitTally();
  let flushing: NodeJS.Immediate | null = null;
  let retrying: NodeJS.Timeout | null = null;
  /** Since when the lock could not be had, and when it was last tried. */
  let lockedSince: number | null = null;
  let lockedAt = 0;
  let failedAt = -Infinity;
  let failedWith: unknown;
  let succeededAt = -Infinity;
  let isClosed = false;
  /** What lies in the log is on disk, or will be by the next fsync. */
  let isLogTrusted = true;
  /** What the connection is set to. It was opened with FULL. */
  let synchronous: "FULL" | "NORMAL" = "FULL";

  function flush(): void {
    flushing = null;
    retrying = null;
    const batch = waiting.splice(0, maxBatch);
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
   * A transaction costs much the same for one verb as for many: while more come in with each turn of the event loop, it
   * waits for them.
   */
  function gather(before: number, turns: number): void {
    if (waiting.length === before || waiting.length >= maxBatch || turns === mostTurns) return flush();
    flushing = setImmediate(gather, waiting.length, turns + 1);
  }

  function commit(batch: readonly Job[]): void {
    const failure = beginLogAnew() ?? attempt(batch);
    if (!failure) return;
    if (isBusy(failure.error)) return waitForLock(batch, failure.error);
    if (batch.length === 1 || !isLogTrusted) return failJobs(tally, batch, failure.error);
    commitOneByOne(batch);
  }

  /**
   * Where an fsync has failed, the system forgets that those pages are not on disk, and later ones succeed without
   * them: what was written before, and had no fsync of its own, may be a hole in the log, and at the next start the log
   * ends there. So everything goes into the database file, with an fsync that counts, and the log begins anew, before
   * anything more is promised. See docs/decisions/0009-disk-failures.md.
   */
  function beginLogAnew(): { error: unknown } | null {
    if (isLogTrusted) return null;
    try {
      const isHeldUp = connection.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0;
      if (isHeldUp) return { error: new Database.SqliteError("others use the log", "SQLITE_BUSY") };
    } catch (error) {
      return { error };
    }
    isLogTrusted = true;
    return null;
  }

  /** Why the transaction failed; `null` when it is on disk. */
  function attempt(batch: readonly Job[]): { error: unknown } | null {
    try {
      synchronize(batch.some((job) => job.survives === "power") ? "FULL" : "NORMAL");
      runAll.immediate(batch);
    } catch (error) {
      if (isDiskFailure(error)) isLogTrusted = false;
      if (isUnavailable(error) && !isBusy(error)) remember(error);
      return { error };
    }
    lockedSince = null;
    if (batch.some(({ isProbe }) => !isProbe)) succeededAt = performance.now();
    tally.committed(batch, synchronous === "FULL");
    for (const job of batch) job.succeed();
    return null;
  }

  function remember(error: unknown): void {
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
      const failure = attempt([job]);
      if (!failure) {
        failures = 0;
        continue;
      }
      const { error } = failure;
      if (isBusy(error)) return waitForLock(batch.slice(index), error);
      failures = isUnavailable(error) ? failures + 1 : 0;
      if (failures >= failuresToBeSure || !isLogTrusted) return failJobs(tally, batch.slice(index), error);
      failJobs(tally, [job], error);
    }
  }

  /**
   * The verbs go back to the head of the queue, but for those that have waited long enough. Nobody is held up while
   * they wait.
   */
  function waitForLock(batch: readonly Job[], error: unknown): void {
    if (isClosed) return failJobs(tally, batch, error);
    const now = performance.now();
    // Nobody has tried for long: who holds it now may hold it for a moment only.
    if (lockedSince === null || now - lockedAt > waitForLockMs) lockedSince = now;
    lockedAt = now;
    const longestMs = now - lockedSince > waitForLockMs ? waitForStuckLockMs : waitForLockMs;
    waiting.unshift(...batch);
    const firstYoung = waiting.findIndex(({ since }) => now - since <= longestMs);
    failJobs(tally, waiting.splice(0, firstYoung < 0 ? waiting.length : firstYoung), error);
    if (waiting.length > 0)
      retrying = setTimeout(flush, now - lockedSince < isLongMs ? betweenTriesMs.soon : betweenTriesMs.long);
  }

  function enqueue<T>(p: { verb: () => T; survives: Survival; isProbe: boolean }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (isClosed) return reject(new AppError("store_unavailable", "The store is closed."));
      if (waiting.length >= maxWaiting) {
        tally.failed(1);
        return reject(new AppError("store_unavailable", "Too many writes are waiting for the disk."));
      }
      waiting.push(createJob({ ...p, resolve, reject }));
      flushSoon();
    });
  }

  return {
    write: (verb, survives = "power") => enqueue({ verb, survives, isProbe: false }),
    probe: (verb) => enqueue({ verb, survives: "power", isProbe: true }),
    lastFailure: () =>
      performance.now() - failedAt < (succeededAt > failedAt ? failureMs.always : failureMs.untilSuccess)
        ? failedWith
        : undefined,
    noteFailure: remember,
    numbers: () => ({ ...tally.read(), waitingWrites: waiting.length }),
    close() {
      isClosed = true;
      // Nothing else is served any more: now SQLite may sleep for its lock.
      connection.pragma(`busy_timeout = ${waitForStuckLockMs}`);
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

function createJob<T>(p: {
  verb: () => T;
  survives: Survival;
  isProbe: boolean;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}): Job {
  const { verb, survives, isProbe, resolve, reject } = p;
  let result: { value: T } | null = null;
  return {
    survives,
    isProbe,
    since: performance.now(),
    run() {
      result = { value: verb() };
    },
    succeed() {
      if (result) resolve(result.value);
    },
    fail: reject,
  };
}
