import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { queueFull } from "../../../domain/problem.ts";
import type { RunStore } from "../../../ports/store/run-store.ts";
import type { CoreStore } from "../../core/core-store.ts";
import { toRun, toRunSummary } from "../../shared/run-shapes.ts";
import { type SpendRow, spendingRunsQuery, sumSpendQuery, toSpend } from "../../shared/sum-spend.ts";
import type { AcceptOperation } from "../deliveries/accept-deliveries.ts";
import type { PostgresDatabase } from "../database.ts";
import type { Session } from "../connection/session.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { countRuns, listRuns, readRunRows, rowTerms, runSummaryColumns } from "../lists/list-runs.ts";
import { resumeRuns } from "./resume-runs.ts";
import { run, runStep } from "../schema.ts";
import { listTimeline } from "./timeline.ts";

/** The columns of a subquery with this name. */
const newestRun = alias(run, "run");

export function createRunStore(
  { read, write }: PostgresDatabase,
  { accept, toStoreSession }: { accept: AcceptOperation; toStoreSession: (session: Session) => StoreSession },
): Omit<RunStore, keyof CoreStore> {
  return {
    async createRuns(runs) {
      const { result } = await accept({ delivery: null, runs, idempotency: null });
      if (result.kind === "full") throw queueFull(result.queue);
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
    resumeRuns: (runs, now) => write((session) => resumeRuns(session, { runs, now, toStoreSession })),
    sumSpend: (filter) =>
      read(async ({ db }) =>
        toSpend(
          await db.execute<SpendRow>(
            sumSpendQuery(spendingRunsQuery(run, sql`signalbox.run`, filter), rowTerms(newestRun, filter)),
          ),
        ),
      ),
  };
}
