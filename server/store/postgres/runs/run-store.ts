import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { queueFull } from "../../../domain/problem.ts";
import {
  checkStartKey,
  startConflict,
  type StartedRun,
  type StartKey,
  toStartedRun,
} from "../../../domain/runs/start-key.ts";
import type { NewRun, QueueFull, RunStore } from "../../../ports/store/run-store.ts";
import type { CoreStore } from "../../core/core-store.ts";
import { toRun, toRunSummary } from "../../shared/run-shapes.ts";
import { type SpendRow, spendingRunsQuery, sumSpendQuery, toSpend } from "../../shared/sum-spend.ts";
import type { AcceptAnswer, AcceptJob, AcceptOperation } from "../deliveries/accept-deliveries.ts";
import type { PostgresDatabase } from "../database.ts";
import { countRuns, listRuns, readRunRows, runSummaryColumns } from "../lists/list-runs.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import { resumeRuns } from "./resume-runs.ts";
import { run, runStep } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { listTimeline } from "./timeline.ts";

/** The columns of a subquery with this name. */
const newestRun = alias(run, "run");

export function createRunStore(
  { read, write }: PostgresDatabase,
  { accept, acceptIn, jobs }: { accept: AcceptOperation; acceptIn: AcceptInSession; jobs: RunJobs },
): Omit<RunStore, keyof CoreStore> {
  return {
    async createRuns(runs) {
      const { result } = await accept({ delivery: null, runs, idempotency: null });
      if (result.kind === "full") throw queueFull(result.queue);
    },
    async createRunsOnce(runs, key) {
      const { queue, first } = await write((session) => createRunsOnce(session, acceptIn, { runs, key }));
      if (queue) throw queueFull(queue);
      if (first?.kind === "conflict") throw startConflict(first.runs);
      return first?.runs ?? null;
    },
    createFittingRuns: async (runs) =>
      (await accept({ delivery: null, runs, idempotency: null, isFitting: true })).left,
    listRuns: (filter, page) => read((session) => listRuns(session, filter, page)),
    countRuns: (filter, bucketMs) => read((session) => countRuns(session, filter, bucketMs)),
    findRuns: (ids) => read(async (session) => (await readRunRows(session, [...ids])).map(toRunSummary)),
    getRun: (id) =>
      read(async ({ db }) => {
        const columns = {
          ...runSummaryColumns,
          errorStack: run.errorStack,
          keyId: run.keyId,
          payload: run.payload,
          input: run.input,
          output: run.output,
        };
        const [row] = await db.select(columns).from(run).where(eq(run.id, id));
        return row ? toRun(row) : null;
      }),
    listTimeline: (runId, page) => read((session) => listTimeline(session, runId, page)),
    listSteps: (runId, { name, after, limit }) =>
      read(({ db }) => {
        const { runId: _, ...columns } = getTableColumns(runStep);
        const isNamed = name === undefined ? undefined : eq(runStep.name, name);
        return db
          .select(columns)
          .from(runStep)
          .where(and(eq(runStep.runId, runId), isNamed, gt(runStep.position, after)))
          .orderBy(asc(runStep.position))
          .limit(limit);
      }),
    resumeRuns: (runs, now) => write((session) => resumeRuns(session, jobs, { runs, now })),
    sumSpend: (filter) =>
      read(async ({ db }) =>
        toSpend(
          await db.execute<SpendRow>(
            sumSpendQuery(newestRun, spendingRunsQuery(run, sql`signalbox.run`, filter), filter),
          ),
        ),
      ),
  };
}

/** As AcceptOperation, in a transaction of the caller. */
export type AcceptInSession = (session: Session, job: AcceptJob) => Promise<AcceptAnswer | undefined>;

/** The lock makes concurrent requests with one key wait for the first. */
async function createRunsOnce(
  session: Session,
  acceptIn: AcceptInSession,
  { runs, key }: { runs: readonly NewRun[]; key: StartKey },
): Promise<{ queue: QueueFull | null; first: ReturnType<typeof checkStartKey> }> {
  await session.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [key.id]);
  const [row] = await session.rows<{ bodySha256: string; at: number; runs: string }>(
    'SELECT body_sha256 AS "bodySha256", at, runs FROM signalbox.run_start WHERE id = $1',
    [key.id],
  );
  const first = checkStartKey(row ? { ...row, runs: JSON.parse(row.runs) as StartedRun[] } : null, key);
  if (first) return { queue: null, first };
  const result = (await acceptIn(session, { delivery: null, runs, idempotency: null }))?.result;
  if (result?.kind === "full") return { queue: result.queue, first: null };
  await session.change(
    `INSERT INTO signalbox.run_start (id, body_sha256, at, runs) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET body_sha256 = excluded.body_sha256, at = excluded.at, runs = excluded.runs`,
    [key.id, key.bodySha256, key.now, JSON.stringify(runs.map(toStartedRun))],
  );
  return { queue: null, first: null };
}
