import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { type Job, type JobInsert, PgBoss } from "pg-boss";
import { leaseMs } from "../../../domain/runs/lease.ts";
import { createThrottledLog, type Logger } from "../../../ports/logger.ts";
import { packedId, packedUuid } from "../../../domain/ids.ts";
import type { Session } from "../session.ts";
import { schemaName } from "./queue-names.ts";

/** A run and the queue with its job. */
export interface JobOfRun {
  runId: string;
  queue: string;
}

/** The state that the job of a run gets. */
export type JobState =
  /** Due, behind all that are due already. */
  | { kind: "queued" }
  /** Due: its worker gave it back or was lost. It has begun, and goes before runs that have not. */
  | { kind: "interrupted" }
  /** Due at this time. */
  | { kind: "waiting"; until: number }
  /** Taken by the transaction that adds it. */
  | { kind: "running" };

export interface NewJob extends JobOfRun {
  state: JobState;
}

/** Which jobs of a queue are taken: those that waited for their time, or those that were due from the beginning. */
type DueJobs = { kind: "woken"; now: number } | { kind: "queued" };

/**
 * The jobs of runs, in pg-boss. Every open run has one: it is added, taken and ended in the transaction that changes
 * the run. Its id is made from the run's id, and its data has the run's id and nothing else.
 */
export interface RunJobs {
  add(session: Session, jobs: readonly NewJob[]): Promise<void>;
  end(session: Session, jobs: readonly JobOfRun[]): Promise<void>;
  /** Takes due jobs of a queue, the oldest first; skips those that another transaction is taking. Gives the runs' ids. */
  take(session: Session, queue: string, p: { limit: number; due: DueJobs }): Promise<string[]>;
  /** The runs are being executed. The caller has locked their rows, so no other process finds them lost meanwhile. */
  touch(session: Session, jobs: readonly JobOfRun[]): Promise<void>;
  /** Forgets which queues exist. Call it if a job could not be added, because another process removed its queue. */
  forgetQueues(): void;
  close(): Promise<void>;
}

const queuedPriority = 0;
const interruptedPriority = 1;
/** Committed jobs with this priority are always active: so the transaction that adds them takes exactly its own. */
const takenPriority = 2;
/** Minus the minute in which a waiting job is due: those that are not due yet are behind all that are. */
const wakingPriority = 2_000_000_000;

/** Long past, so that a clock that is set back delays no run that is due. */
const alwaysDue = "2000-01-01T00:00:00Z";
/** Later times have no priority. */
const latest = Date.UTC(3900, 0);

/** The lowest priority of jobs that can be due. */
export const wokenPriority = (now: number): number => wakingPriority - Math.floor(now / 60_000) - 1;
/** The highest priority of jobs that were due from the beginning. */
export const maxQueuedPriority = interruptedPriority;

/**
 * The engine's own supervision is not used: what is retried, when a run is lost and how long history stays is decided
 * by the run. If another instance supervises the schema, these bounds keep it from acting.
 */
const queueOptions = {
  policy: "standard",
  heartbeatSeconds: leaseMs / 1000,
  retryLimit: 1_000_000,
  expireInSeconds: 86_400,
  retentionSeconds: 2_000_000_000,
} as const;

/** The function that createQueue() of pg-boss calls, which cannot be a part of a transaction. */
const createQueueSql = `SELECT ${schemaName}.create_queue($1, $2::jsonb)`;

/** Starts pg-boss. It begins no work of its own. `session`: for what it reads outside of transactions. */
export async function openRunJobs(session: Session, p: { logger: Logger }): Promise<RunJobs> {
  const logTrouble = createThrottledLog((message, fields) => p.logger.warn(message, fields));
  /**
   * The transaction of a call. What pg-boss reads first, such as the facts of a queue, is read in it as well. A second
   * connection could be one that only the end of other transactions makes free.
   */
  const current = new AsyncLocalStorage<Session>();
  const boss = new PgBoss({
    db: { executeSql: (text, values) => (current.getStore() ?? session).executeSql(text, values) },
    schema: schemaName,
    migrate: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
    queueCacheIntervalSeconds: 86_400,
  });
  boss.on("error", (error) => logTrouble("the queue reported an error", { error }));
  await boss.start();
  const known = new Set<string>();

  /** If the transaction is rolled back, the next job of the queue cannot be committed: see `forgetQueues`. */
  async function ensureQueue(transaction: Session, queue: string): Promise<void> {
    if (known.has(queue)) return;
    await transaction.rows(createQueueSql, [queue, JSON.stringify(queueOptions)]);
    known.add(queue);
  }

  async function insert(transaction: Session, queue: string, jobs: readonly NewJob[]): Promise<void> {
    const db = transaction;
    await ensureQueue(transaction, queue);
    await boss.insert(queue, jobs.map(toInsert), { db });
    const batchSize = jobs.filter(({ state }) => state.kind === "running").length;
    if (batchSize === 0) return;
    const own = { minPriority: takenPriority, maxPriority: takenPriority };
    const active = await boss.fetch(queue, { db, batchSize, ...own });
    if (active.length !== batchSize) throw new Error(`${active.length} of ${batchSize} added jobs were taken`);
  }

  /** Each queue once, in one order for all processes. */
  function forEachQueue<Job extends JobOfRun>(
    transaction: Session,
    jobs: readonly Job[],
    act: (queue: string, jobs: readonly Job[]) => Promise<unknown>,
  ): Promise<void> {
    return current.run(transaction, async () => {
      const byQueue = [...Map.groupBy(jobs, ({ queue }) => queue)];
      if (byQueue.length > 1) byQueue.sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [queue, own] of byQueue) await act(queue, own);
    });
  }

  return {
    add: (transaction, jobs) => forEachQueue(transaction, jobs, (queue, own) => insert(transaction, queue, own)),
    end: (transaction, jobs) =>
      forEachQueue(transaction, jobs, (queue, own) => boss.deleteJob(queue, toIds(own), { db: transaction })),
    take: (transaction, queue, { limit, due }) =>
      current.run(transaction, async () => {
        const range =
          due.kind === "woken" ? { minPriority: wokenPriority(due.now) } : { maxPriority: maxQueuedPriority };
        const jobs: Job<{ run: string }>[] = await boss.fetch(queue, { db: transaction, batchSize: limit, ...range });
        return jobs.map(({ data }) => data.run);
      }),
    touch: (transaction, jobs) =>
      forEachQueue(transaction, jobs, (queue, own) => boss.touch(queue, toIds(own), { db: transaction })),
    forgetQueues: () => known.clear(),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * The id of a run's job: the same 128 bits, as a UUID. A job is found by it without another index. The ids ascend, so
 * all inserts are at one end of their index.
 */
function toJobId(runId: string): string {
  const packed = packedId("run").pack(runId);
  // Only tests have ids without a ULID.
  return packedUuid.unpack(
    typeof packed === "string" ? createHash("sha256").update(runId).digest().subarray(0, 16) : packed,
  );
}

function toIds(jobs: readonly JobOfRun[]): string[] {
  return jobs.map(({ runId }) => toJobId(runId));
}

function toInsert({ runId, state }: NewJob): JobInsert {
  const job = { id: toJobId(runId), data: { run: runId } };
  switch (state.kind) {
    case "queued":
      return { ...job, startAfter: alwaysDue, priority: queuedPriority };
    case "interrupted":
      return { ...job, startAfter: alwaysDue, priority: interruptedPriority };
    case "running":
      return { ...job, startAfter: alwaysDue, priority: takenPriority };
    case "waiting": {
      const until = Math.min(Math.max(Math.round(state.until), 0), latest);
      return {
        ...job,
        startAfter: new Date(until).toISOString(),
        priority: wakingPriority - Math.floor(until / 60_000),
      };
    }
  }
}
