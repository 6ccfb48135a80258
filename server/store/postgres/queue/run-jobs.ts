import { type Job, type JobInsert, PgBoss } from "pg-boss";
import { leaseMs } from "../../../domain/runs/lease.ts";
import { createThrottledLog, type Logger } from "../../../ports/logger.ts";
import type { Session } from "../session.ts";
import { toJobId } from "./job-id.ts";
import { schemaName } from "./schema-name.ts";

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
export type DueJobs = { kind: "woken"; now: number } | { kind: "queued" };

/**
 * The jobs of runs, in pg-boss. Every open run has one: it is added, taken and ended in the transaction that changes
 * the run. Its id is made from the run's id, and its data has the run's id and nothing else.
 */
export interface RunJobs {
  add(session: Session, jobs: readonly NewJob[]): Promise<void>;
  end(session: Session, jobs: readonly JobOfRun[]): Promise<void>;
  /** Takes due jobs of a queue, the oldest first; skips those that another transaction is taking. Gives the runs' ids. */
  take(session: Session, queue: string, p: { limit: number; due: DueJobs }): Promise<string[]>;
  /** The runs are being executed. Their row locks must be held: so nobody else decides meanwhile that they are lost. */
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

/** The function of pg-boss that its createQueue() calls, which cannot be a part of a transaction. */
const createQueueSql = `SELECT ${schemaName}.create_queue($1, $2::jsonb)`;

/** Starts pg-boss. It begins no work of its own. `session`: for what is not a part of a transaction. */
export async function openRunJobs(session: Session, p: { logger: Logger }): Promise<RunJobs> {
  const logTrouble = createThrottledLog((message, fields) => p.logger.warn(message, fields));
  const boss = new PgBoss({
    db: session,
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

  /** Outside of the transaction that adds the job: others may need the queue, too, and may not wait for its commit. */
  async function ensureQueue(queue: string): Promise<void> {
    if (known.has(queue)) return;
    await session.rows(createQueueSql, [queue, JSON.stringify(queueOptions)]);
    known.add(queue);
  }

  async function insert(transaction: Session, queue: string, jobs: readonly NewJob[]): Promise<void> {
    await ensureQueue(queue);
    await boss.insert(queue, jobs.map(toInsert), { db: transaction });
    const taken = jobs.filter(({ state }) => state.kind === "running").length;
    if (taken === 0) return;
    const active = await boss.fetch(queue, {
      db: transaction,
      batchSize: taken,
      minPriority: takenPriority,
      maxPriority: takenPriority,
    });
    if (active.length !== taken) throw new Error(`${active.length} of ${taken} added jobs were taken`);
  }

  return {
    async add(transaction, jobs) {
      for (const [queue, own] of Map.groupBy(jobs, (job) => job.queue)) await insert(transaction, queue, own);
    },
    async end(transaction, jobs) {
      for (const [queue, own] of Map.groupBy(jobs, (job) => job.queue))
        await boss.deleteJob(
          queue,
          own.map(({ runId }) => toJobId(runId)),
          { db: transaction },
        );
    },
    async take(transaction, queue, { limit, due }) {
      const range = due.kind === "woken" ? { minPriority: wokenPriority(due.now) } : { maxPriority: maxQueuedPriority };
      const jobs: Job<{ run: string }>[] = await boss.fetch(queue, { db: transaction, batchSize: limit, ...range });
      return jobs.map(({ data }) => data.run);
    },
    async touch(transaction, jobs) {
      for (const [queue, own] of Map.groupBy(jobs, (job) => job.queue))
        await boss.touch(
          queue,
          own.map(({ runId }) => toJobId(runId)),
          { db: transaction },
        );
    },
    forgetQueues: () => known.clear(),
    close: () => boss.stop({ graceful: false, close: false }),
  };
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
