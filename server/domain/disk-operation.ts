/**
 * What this process does in the database file right now. SQLite is synchronous: while the disk hangs, the thread that
 * executes the operation can report nothing. So it notes each operation in memory that another thread can read.
 */
export const diskOperations = ["read", "write", "commit", "checkpoint of the log"] as const;

type DiskOperation = (typeof diskOperations)[number];

/** The operation in progress, from 1; 0: none. Then the number of operations that have begun. */
export const diskActivity = new Int32Array(new SharedArrayBuffer(8));

/** Notes the operation for the duration of `work`, or until its next part begins. */
export function duringDiskOperation<Result>(operation: DiskOperation, work: () => Result): Result {
  beginDiskOperation(operation);
  try {
    return work();
  } finally {
    Atomics.store(diskActivity, 0, 0);
  }
}

/** Begins the next part of the operation in progress. */
export function beginDiskOperation(operation: DiskOperation): void {
  Atomics.add(diskActivity, 1, 1);
  Atomics.store(diskActivity, 0, diskOperations.indexOf(operation) + 1);
}
