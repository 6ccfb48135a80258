import { AppError } from "../../contract/app-error.ts";
import type { Connection } from "./open-connection.ts";
import { isBusy, toStoreError } from "./store-error.ts";

/** Group commit: verbs that come in while a commit is under way share the next one, and each is told only after its fsync. */
export interface WriteQueue {
  /** Runs a synchronous verb inside a write transaction. The verb may be run twice: it must not leave traces outside the database. */
  write<T>(verb: () => T): Promise<T>;
  /** Writes what waits, and takes nothing more. */
  close(): void;
}

interface Job {
  run(): void;
  /** After the commit. */
  succeed(): void;
  fail(error: unknown): void;
}

const maxBatch = 256;
const maxWaiting = 10_000;

interface QueueHooks {
  /** Before the first verb of each attempt at a transaction. */
  onBegin: () => void;
  /** After its last verb, still inside the transaction. */
  onEnd: () => void;
  onWritten: () => void;
  checkFile: () => void;
}

export function createWriteQueue(connection: Connection, p: QueueHooks): WriteQueue {
  const totalChanges = connection.prepare("SELECT total_changes()").pluck();
  const runAll = connection.transaction((jobs: readonly Job[]) => {
    p.onBegin();
    for (const job of jobs) job.run();
    p.onEnd();
  });
  const waiting: Job[] = [];
  let flushing: NodeJS.Immediate | null = null;
  let isClosed = false;

  function flush(): void {
    flushing = null;
    const batch = waiting.splice(0, maxBatch);
    if (waiting.length > 0) flushing = setImmediate(flush);
    try {
      p.checkFile();
    } catch (error) {
      for (const job of batch) job.fail(error);
      return;
    }
    const before = totalChanges.get();
    commit(batch);
    if (totalChanges.get() !== before) p.onWritten();
  }

  function commit(batch: readonly Job[]): void {
    try {
      runAll.immediate(batch);
    } catch (error) {
      // A bad row fails alone. A lock that could not be had would only be waited for again.
      if (batch.length > 1 && !isBusy(error)) for (const job of batch) commit([job]);
      else for (const job of batch) job.fail(toStoreError(error));
      return;
    }
    for (const job of batch) job.succeed();
  }

  return {
    write: <T>(verb: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(new AppError("store_unavailable", "The store is closed."));
        if (waiting.length >= maxWaiting) return reject(new AppError("store_unavailable", "Too many writes wait for the disk."));
        waiting.push(createJob(verb, resolve, reject));
        flushing ??= setImmediate(flush);
      }),
    close() {
      isClosed = true;
      if (flushing) clearImmediate(flushing);
      while (waiting.length > 0) flush();
      if (flushing) clearImmediate(flushing);
    },
  };
}

function createJob<T>(verb: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): Job {
  let result: { value: T } | null = null;
  return {
    run() {
      result = { value: verb() };
    },
    succeed() {
      if (result) resolve(result.value);
    },
    fail: reject,
  };
}
