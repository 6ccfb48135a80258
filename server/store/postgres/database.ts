import type { Pool } from "pg";
import { AppError } from "../../contract/app-error.ts";
import { createCommitTally, type StoreNumbers } from "../../domain/tallies.ts";
import { type Session, sessionOf } from "./session.ts";
import { isQueueMissing, toStoreError } from "./store-error.ts";
import { transact, type TransactionMode } from "./transact.ts";
import { createWriteLane, type JobGroup, type WriteLane } from "./write-lane.ts";

type Verb<Result> = (session: Session) => Promise<Result>;

/** What the verbs of the store work with. */
export interface PostgresDatabase {
  /** Runs a verb that only reads; each of its statements sees what is committed by then. */
  read<Result>(verb: Verb<Result>): Promise<Result>;
  /** All of whose statements see the same moment. */
  readAtOnce<Result>(verb: Verb<Result>): Promise<Result>;
  /** Runs a verb in a transaction of its own, in the order in which verbs are given. */
  write<Result>(verb: Verb<Result>): Promise<Result>;
  /** The same for what nobody looks at and a crash of the database may undo: leases, signs of life, what is removed. */
  writeSoon<Result>(verb: Verb<Result>): Promise<Result>;
  /**
   * For jobs that share a transaction: gives the verb that writes one. `isSoon`: a crash of the database may undo it;
   * others are told all the same.
   */
  together<Job, Result>(p: {
    maxBatch: number;
    nameOf?: (job: Job) => string;
    isSoon?: boolean;
    write: (session: Session, jobs: readonly Job[]) => Promise<readonly Result[]>;
  }): (job: Job) => Promise<Result>;
  /**
   * The same in a lane of its own, past what waits to be written; a crash of the database may undo it. For what neither
   * needs the order of the other writes nor is told to anybody.
   */
  togetherAside<Job, Result>(p: {
    maxBatch: number;
    write: (session: Session, jobs: readonly Job[]) => Promise<readonly Result[]>;
  }): (job: Job) => Promise<Result>;
  /**
   * The same operations with an order of their own: their transactions overlap with the others. For writes that do not
   * have to follow earlier ones.
   */
  apart(): Pick<PostgresDatabase, "write" | "together">;
  numbers(): Omit<StoreNumbers, "fileBytes">;
  /** Writes what waits, and takes nothing more. */
  close(): Promise<void>;
}

export function createDatabase(p: {
  readers: Pool;
  writers: Pool;
  /** Called after each commit that is not only about leases, heartbeats or removals. */
  changed: () => void;
  /** Called after a commit that concerns other run hosts: see `Session.concernsHosts`. */
  wakeHosts: () => void;
  /** Called when a job could not be added because its queue was removed. The transaction is tried again. */
  onQueueMissing: () => void;
}): PostgresDatabase {
  const tally = createCommitTally();
  const main = createWriteLane(tally);
  const lanes = [main];
  const aside = createWriteLane(createCommitTally());
  let isClosed = false;

  async function look<Result>(verb: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw new AppError("store_unavailable", "The store is closed.");
    try {
      return await verb();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async function transactOn<Result>(pool: Pool, verb: Verb<Result>, mode: TransactionMode): Promise<Result> {
    try {
      return await transact(pool, verb, { ...mode, onConcernsHosts: p.wakeHosts });
    } catch (error) {
      if (isQueueMissing(error)) p.onQueueMissing();
      throw error;
    }
  }

  /** A group of one: its transaction is its own. */
  function writeAlone<Result>(lane: WriteLane, verb: Verb<Result>, mode: TransactionMode): Promise<Result> {
    const group: JobGroup<Verb<Result>, Result> = {
      maxBatch: 1,
      write: async (_, committing) => {
        const result = await transactOn(p.writers, verb, { ...mode, committing });
        if (!mode.isSoon) p.changed();
        return [result];
      },
    };
    return lane.add(group, verb);
  }

  function writesOf(lane: WriteLane): Pick<PostgresDatabase, "write" | "together"> {
    return {
      write: (verb) => writeAlone(lane, verb, {}),
      together({ maxBatch, nameOf, isSoon = false, write }) {
        const group: JobGroup<Parameters<typeof write>[1][number], Awaited<ReturnType<typeof write>>[number]> = {
          maxBatch,
          ...(nameOf && { nameOf }),
          async write(jobs, committing) {
            const results = await transactOn(p.writers, (session) => write(session, jobs), { isSoon, committing });
            p.changed();
            return results;
          },
        };
        return (job) => lane.add(group, job);
      },
    };
  }

  return {
    read: (verb) => look(() => verb(sessionOf(p.readers))),
    readAtOnce: (verb) => look(() => transact(p.readers, verb, { isSnapshot: true })),
    ...writesOf(main),
    writeSoon: (verb) => writeAlone(main, verb, { isSoon: true }),
    apart() {
      const lane = createWriteLane(tally.overlapping());
      lanes.push(lane);
      return writesOf(lane);
    },
    togetherAside({ maxBatch, write }) {
      const group = {
        maxBatch,
        write: (jobs: readonly Parameters<typeof write>[1][number][], committing: () => void) =>
          transact(p.readers, (session) => write(session, jobs), { isSoon: true, committing }),
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
