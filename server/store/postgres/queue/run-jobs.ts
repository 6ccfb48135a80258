import { createHash } from "node:crypto";
import { PgBoss } from "pg-boss";
import { leaseMs } from "../../../domain/runs/lease.ts";
import type { Logger } from "../../../ports/logger.ts";
import { packedId } from "../../../domain/ids.ts";
import { type ElementType, toArrayParameter } from "../statements/array-parameters.ts";
import { type InsertPart, insertParts } from "../statements/insert-rows.ts";
import type { Session } from "../connection/session.ts";
import { toStoreError } from "../store-error.ts";
import { isLimitedQueue, schemaName } from "./queue-names.ts";

/** A run and the queue with its job. */
export interface JobOfRun {
  runId: string;
  queue: string;
}

/** The state that the job of a run gets. */
export type JobState =
  /** Due, behind all that are due already. */
  | { kind: "queued" }
  /** Due: its worker returned it or was lost. It has begun, so it is taken before runs that have not. */
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
  /** The same as a part of a statement, which the caller executes in the same transaction. `null`: there are no jobs. */
  prepareAdd(session: Session, jobs: readonly NewJob[]): Promise<InsertPart | null>;
  end(session: Session, jobs: readonly JobOfRun[]): Promise<void>;
  /** The same as a part of a statement, which the caller executes in the same transaction. `null`: there are no jobs. */
  prepareEnd(session: Session, jobs: readonly JobOfRun[]): InsertPart | null;
  /** Of a statement with that part. */
  endOptions: { isReplanned: true };
  /** Takes due jobs of a queue, the oldest first; skips those that another transaction is taking. Returns the runs' ids. */
  take(session: Session, queue: string, p: { limit: number; due: DueJobs }): Promise<string[]>;
  /** The runs are being executed. The caller has locked their rows, so no other process finds them lost meanwhile. */
  touch(session: Session, jobs: readonly JobOfRun[]): Promise<void>;
  /** Forgets which queues exist. Call it if a job could not be added, because another process removed its queue. */
  forgetQueues(): void;
  close(): Promise<void>;
}

const queuedPriority = 0;
const interruptedPriority = 1;
/** Minus the minute in which a waiting job is due: those that are not due yet are behind all that are. */
const wakingPriority = 2_000_000_000;

/** Long past, so that a clock that is set back delays no run that is due. */
const alwaysDue = Date.UTC(2000, 0);
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

/** Has the jobs of all queues that do not ask for a table of their own. */
const table = `${schemaName}.job_common`;

/** The function that createQueue() of pg-boss calls, which cannot be a part of a transaction. */
const createQueueSql = `SELECT ${schemaName}.create_queue($1, $2::jsonb)`;

/** Starts pg-boss. It begins no work of its own. `session`: for what it reads outside of transactions. */
export async function openRunJobs(session: Session, p: { logger: Logger }): Promise<RunJobs> {
  const boss = new PgBoss({
    db: { executeSql: session.executeSql },
    schema: schemaName,
    migrate: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
    queueCacheIntervalSeconds: 86_400,
  });
  boss.on("error", (error) => p.logger.warn("the queue reported an error", { error: toStoreError(error) }));
  await boss.start();
  const known = new Set<string>();

  /** If the transaction is rolled back, the next job of the queue cannot be committed: see `forgetQueues`. */
  async function ensureQueue(transaction: Session, queue: string): Promise<void> {
    if (known.has(queue)) return;
    await transaction.rows(createQueueSql, [queue, JSON.stringify(queueOptions)]);
    known.add(queue);
  }

  async function prepareAdd(transaction: Session, jobs: readonly NewJob[]): Promise<InsertPart | null> {
    if (jobs.length === 0) return null;
    if (jobs.some(({ state }) => state.kind !== "running")) transaction.concernsHosts = true;
    const queues = new Set(jobs.map(({ queue }) => queue));
    // In one order for all processes.
    for (const queue of queues.size > 1 ? [...queues].sort() : queues) await ensureQueue(transaction, queue);
    return toInsert(jobs);
  }

  return {
    add: async (transaction, jobs) => void (await insertParts(transaction, [await prepareAdd(transaction, jobs)])),
    prepareAdd,
    end: async (transaction, jobs) =>
      void (await insertParts(transaction, [prepareEnd(transaction, jobs)], endOptions)),
    prepareEnd,
    endOptions,
    async take(transaction, queue, { limit, due }) {
      const range = due.kind === "woken" ? wokenRange : queuedRange;
      const priority = due.kind === "woken" ? wokenPriority(due.now) : maxQueuedPriority;
      const { rows } = await transaction.executeSql(takeSql(range), [queue, priority, limit]);
      return (rows as { run: string }[]).map(({ run }) => run);
    },
    touch: async (transaction, jobs) =>
      void (await insertParts(transaction, [jobs.length === 0 ? null : toTouch(jobs)], endOptions)),
    forgetQueues: () => known.clear(),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * The id of a run's job: the same 128 bits, as a UUID. A job is found by it without another index. The ids ascend, so
 * all inserts are at one end of their index.
 */
function toJobId(runId: string): Uint8Array {
  const packed = packedId("run").pack(runId);
  // Only tests have ids without a ULID.
  return typeof packed === "string" ? createHash("sha256").update(runId).digest().subarray(0, 16) : packed;
}

/**
 * Pg-boss documents its table of jobs for inserts in SQL. They set the same columns as its `insert` for queues with
 * these options, and those of its `fetch` for a job that is added as active.
 */
const insertSql = (first: number) => `
  INSERT INTO ${schemaName}.job (id, name, data, priority, state, start_after, keep_until, created_on, started_on, heartbeat_on, policy, retry_limit, expire_seconds, heartbeat_seconds)
  SELECT j.id, j.queue, jsonb_build_object('run', j.run_id), j.priority, (CASE WHEN j.is_active THEN 'active' ELSE 'created' END)::${schemaName}.job_state,
    j.start_after, j.start_after + interval '${queueOptions.retentionSeconds} s', clock.now, CASE WHEN j.is_active THEN clock.now END, CASE WHEN j.is_active THEN clock.now END,
    '${queueOptions.policy}', ${queueOptions.retryLimit}, ${queueOptions.expireInSeconds}, ${queueOptions.heartbeatSeconds}
  FROM (
    SELECT id, queue, run_id, priority, is_active, to_timestamp(start_after / 1000.0) AS start_after
    FROM unnest($${first}::uuid[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::integer[], $${first + 4}::boolean[], $${first + 5}::bigint[])
      AS t (id, queue, run_id, priority, is_active, start_after)
  ) j, (SELECT ${schemaName}.job_now() AS now) clock`;

function toInsert(jobs: readonly NewJob[]): InsertPart {
  const starts = jobs.map(({ state }) => startOf(state));
  const column = <Value>(type: ElementType, valueOf: (job: NewJob) => Value) =>
    toArrayParameter(type, jobs.map(valueOf));
  return {
    text: insertSql,
    values: [
      column("uuid", ({ runId }) => toJobId(runId)),
      column("text", ({ queue }) => queue),
      column("text", ({ runId }) => runId),
      toArrayParameter(
        "integer",
        starts.map(({ priority }) => priority),
      ),
      column("boolean", ({ state }) => state.kind === "running"),
      toArrayParameter(
        "bigint",
        starts.map(({ startAfter }) => startAfter),
      ),
    ],
  };
}

function prepareEnd(transaction: Session, jobs: readonly JobOfRun[]): InsertPart | null {
  if (jobs.length === 0) return null;
  // Another run of the target may be due on another machine.
  if (jobs.some(({ queue }) => isLimitedQueue(queue))) transaction.concernsHosts = true;
  return toDelete(jobs);
}

/**
 * Pg-boss's table has several indexes that begin with the name of the queue. A plan that was made while the table was
 * small can use any of them, and then reads all jobs of the queue for each job.
 */
const endOptions = { isReplanned: true } as const;

/**
 * Joined with the jobs `j`, it makes Postgres read the index that has the order of the query. It is one row, of which
 * Postgres expects a thousand, so it never sorts them. Without it, if Postgres expects one job, a sort seems to cost
 * nothing. It then takes the index with the fewest levels, and reads all jobs of the queue.
 */
export const inIndexOrder = "CROSS JOIN LATERAL generate_series(1, 1 + 0 * length(j.name)) AS one_row";

/**
 * The places of jobs of several queues. The lock of the run keeps a job where it was found. Of the indexes, only the
 * primary key has the order of the ids.
 */
const placesSql = (first: number) => `ARRAY(
    SELECT found.ctid FROM unnest($${first}::text[], $${first + 1}::uuid[]) AS wanted (name, id)
    CROSS JOIN LATERAL (
      SELECT j.ctid FROM ${table} j ${inIndexOrder}
      WHERE j.name = wanted.name AND j.id BETWEEN wanted.id AND wanted.id ORDER BY j.id LIMIT 1
    ) AS found
  )`;

const placesOf = (jobs: readonly JobOfRun[]) => [
  toArrayParameter(
    "text",
    jobs.map(({ queue }) => queue),
  ),
  toArrayParameter(
    "uuid",
    jobs.map(({ runId }) => toJobId(runId)),
  ),
];

/** What pg-boss's `deleteJob` does. */
const toDelete = (jobs: readonly JobOfRun[]): InsertPart => ({
  text: (first) => `DELETE FROM ${table} WHERE ctid = ANY(${placesSql(first)})`,
  values: placesOf(jobs),
});

/**
 * What pg-boss's `touch` does, which reads all jobs of a queue if Postgres expects one. The state is compared as text,
 * because an index has it.
 */
const toTouch = (jobs: readonly JobOfRun[]): InsertPart => ({
  text: (first) =>
    `UPDATE ${table} SET heartbeat_on = ${schemaName}.job_now() WHERE ctid = ANY(${placesSql(first)}) AND state::text = 'active'`,
  values: placesOf(jobs),
});

const wokenRange = "j.priority >= $2";
const queuedRange = "j.priority <= $2";

/**
 * What pg-boss's `fetch` does for queues with these options. The `fetch` joins the jobs with those that it has locked.
 * If Postgres last gathered statistics while the queue was empty, it expects one job, however many there are. Then it
 * joins by comparing each job of the queue with each locked one. Here, locked jobs are read where they were found.
 */
const takeSql = (range: string) => `
  UPDATE ${table} SET state = 'active', started_on = ${schemaName}.job_now(), heartbeat_on = ${schemaName}.job_now(),
    retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
  WHERE ctid = ANY(ARRAY(
    SELECT j.ctid FROM ${table} j ${inIndexOrder}
    WHERE j.name = $1 AND j.state < 'active' AND NOT j.blocked AND j.start_after <= ${schemaName}.job_now() AND ${range}
    ORDER BY j.priority DESC, j.created_on LIMIT $3
    FOR UPDATE OF j SKIP LOCKED
  ))
  RETURNING data->>'run' AS run`;

function startOf(state: JobState): { startAfter: number; priority: number } {
  if (state.kind === "interrupted") return { startAfter: alwaysDue, priority: interruptedPriority };
  if (state.kind !== "waiting") return { startAfter: alwaysDue, priority: queuedPriority };
  const until = Math.min(Math.max(Math.round(state.until), 0), latest);
  return { startAfter: until, priority: wakingPriority - Math.floor(until / 60_000) };
}
