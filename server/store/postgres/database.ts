import type { Pool } from "pg";
import { AppError } from "../../contract/app-error.ts";
import { createCommitTally, type StoreNumbers } from "../../domain/tallies.ts";
import type { WriteTerms } from "../../ports/store/delivery-store.ts";
import { type Session, sessionOf } from "./connection/session.ts";
import { toStoreError } from "./store-error.ts";
import { transact, type TransactionMode } from "./connection/transact.ts";
import { type BatchTerms, createWriteLane, type JobGroup, type WriteLane } from "./connection/write-lane.ts";

type Operation<Result> = (session: Session) => Promise<Result>;

/** Shared by the operations of the store. */
export interface PostgresDatabase {
  /** Runs an operation that only reads. Each of its statements sees all earlier commits. */
  read<Result>(operation: Operation<Result>): Promise<Result>;
  /** The same, but all statements read one snapshot. */
  readAtOnce<Result>(operation: Operation<Result>): Promise<Result>;
  /** Runs an operation in its own transaction, in the order of the calls. */
  write<Result>(operation: Operation<Result>): Promise<Result>;
  /** The same for changes that no page shows and that a crash of the database may undo: leases, heartbeats, removals. */
  writeRelaxed<Result>(operation: Operation<Result>): Promise<Result>;
  /**
   * For jobs that share a transaction: returns the operation that writes one. `isRelaxed`: a crash of the database may
   * undo it. Listeners are notified nevertheless. `isOneStatement`: whether `write` writes these jobs with one
   * statement.
   */
  createBatcher<Job, Result>(p: {
    maxBatch: number;
    nameOf?: (job: Job) => string;
    isRelaxed?: boolean;
    isOneStatement?: (jobs: readonly Job[]) => boolean;
    write: (session: Session, jobs: readonly Job[]) => Promise<readonly Result[]>;
  }): (job: Job, terms?: WriteTerms) => Promise<Result>;
  /**
   * The same in a separate lane, so it does not wait for other writes. A crash of the database may undo it. For writes
   * that need no order and of which no listener is notified.
   */
  createIndependentBatcher<Job, Result>(p: {
    maxBatch: number;
    write: (session: Session, jobs: readonly Job[]) => Promise<readonly Result[]>;
  }): (job: Job) => Promise<Result>;
  /**
   * The same operations with an order of their own: their transactions overlap with the others. For writes that do not
   * have to follow earlier ones. Under load, they wait for each other, for up to two milliseconds. `read` reads on the
   * connections of writers.
   */
  apart(): Pick<PostgresDatabase, "read" | "write" | "createBatcher">;
  numbers(): Omit<StoreNumbers, "fileBytes">;
  /** Writes the waiting operations and rejects new ones. */
  close(): Promise<void>;
}

export function createDatabase(p: {
  readers: Pool;
  writers: Pool;
  /** Called after each commit that is not only about leases, heartbeats or removals. */
  changed: () => void;
  /** Called after a commit that concerns other run hosts: see `Session.concernsHosts`. */
  wakeHosts: () => void;
}): PostgresDatabase {
  const tally = createCommitTally();
  const main = createWriteLane(tally);
  const lanes = [main];
  const aside = createWriteLane(createCommitTally());
  let isClosed = false;

  async function look<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw new AppError("store_unavailable", "The store is closed.");
    try {
      return await operation();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  const transactOn = <Result>(pool: Pool, operation: Operation<Result>, mode: TransactionMode): Promise<Result> =>
    transact(pool, operation, { ...mode, onConcernsHosts: p.wakeHosts });

  /** A group with one job, which has its own transaction. */
  function writeAlone<Result>(lane: WriteLane, operation: Operation<Result>, mode: TransactionMode): Promise<Result> {
    const group: JobGroup<Operation<Result>, Result> = {
      maxBatch: 1,
      write: async (_, terms) => {
        const result = await transactOn(p.writers, operation, { ...mode, ...terms });
        if (!mode.isRelaxed) p.changed();
        return [result];
      },
    };
    return lane.add(group, operation);
  }

  function writesOf(lane: WriteLane): Pick<PostgresDatabase, "write" | "createBatcher"> {
    return {
      write: (operation) => writeAlone(lane, operation, {}),
      createBatcher({ maxBatch, nameOf, isRelaxed = false, isOneStatement = () => false, write }) {
        const group: JobGroup<Parameters<typeof write>[1][number], Awaited<ReturnType<typeof write>>[number]> = {
          maxBatch,
          ...(nameOf && { nameOf }),
          async write(jobs, terms) {
            const results = await transactOn(p.writers, (session) => write(session, jobs), {
              isRelaxed,
              isOneStatement: isOneStatement(jobs),
              ...terms,
            });
            p.changed();
            return results;
          },
        };
        return (job, terms) => lane.add(group, job, terms);
      },
    };
  }

  return {
    read: (operation) => look(() => operation(sessionOf(p.readers))),
    readAtOnce: (operation) => look(() => transact(p.readers, operation, { isSnapshot: true })),
    ...writesOf(main),
    writeRelaxed: (operation) => writeAlone(main, operation, { isRelaxed: true }),
    apart() {
      const lane = createWriteLane(tally.overlapping(), { gathers: true });
      lanes.push(lane);
      return { read: (operation) => look(() => operation(sessionOf(p.writers))), ...writesOf(lane) };
    },
    createIndependentBatcher({ maxBatch, write }) {
      const group = {
        maxBatch,
        write: (jobs: readonly Parameters<typeof write>[1][number][], terms: BatchTerms) =>
          transact(p.readers, (session) => write(session, jobs), { isRelaxed: true, ...terms }),
      };
      return (job) => aside.add(group, job);
    },
    numbers: () => ({ ...tally.read(), waitingWrites: lanes.reduce((sum, lane) => sum + lane.waitingWrites(), 0) }),
    async close() {
      isClosed = true;
      await Promise.all([...lanes, aside].map((lane) => lane.close()));
    },
  };
}
