import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Run } from "../../../contract/run.ts";
import { queueFull } from "../../../domain/problem.ts";
import type { LeftRun, RunStore, SpendFilter } from "../../../ports/store/run-store.ts";
import type { CoreStore } from "../../core/core-store.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { toRun, toRunSummary } from "../../shared/run-shapes.ts";
import { type SpendRow, spendingRunsQuery, sumSpendQuery, toSpend } from "../../shared/sum-spend.ts";
import type { SqliteDatabase } from "../database.ts";
import { insertRuns, type RunParts } from "./insert-run.ts";
import { isUnlistedSql } from "../lists/list-index.ts";
import {
  countRuns,
  listRuns,
  nameRun,
  numberNames,
  readRunRows,
  rowTerms,
  runSummaryColumns,
} from "../lists/list-runs.ts";
import type { KeySlots } from "./key-slots.ts";
import { prepareFindObstacle, prepareResumeRuns } from "./resume-runs.ts";
import { run, runList, runStep } from "../schema.ts";
import { inputSql, payloadSql, runId } from "../stored-forms.ts";
import { type AddEntry, listTimeline } from "./timeline.ts";
import type { WriteQueue } from "../writes/write-queue.ts";

interface RunStoreParts extends RunParts {
  addEntry: AddEntry;
  keySlots: KeySlots;
  queueing: WriteQueue["write"];
  session: StoreSession;
}

export function createRunStore(database: SqliteDatabase, p: RunStoreParts): Omit<RunStore, keyof CoreStore> {
  const { readInTurn } = database;
  const getRun = prepareGetRun(database);
  const resumeRuns = prepareResumeRuns(database, p);
  const findObstacle = prepareFindObstacle(database);
  return {
    async createRuns(runs) {
      // Thrown after the transaction, because other writes share it.
      const queue = await p.queueing(() => insertRuns(p, runs));
      if (queue) throw queueFull(queue);
    },
    createFittingRuns: (runs) =>
      p.queueing(() =>
        runs.flatMap((newRun): LeftRun[] => {
          const obstacle = findObstacle(newRun);
          if (obstacle) return [obstacle];
          const queue = insertRuns(p, [newRun]);
          return queue ? [{ id: newRun.id, queue }] : [];
        }),
      ),
    listRuns: (filter, page) => listRuns(database, filter, page),
    countRuns: (filter, bucketMs) => countRuns(database, filter, bucketMs),
    findRuns: (ids) => readInTurn(() => readRunRows(database, seqsOf(database, ids)).map(toRunSummary)),
    getRun: (id) => readInTurn(() => getRun(id)),
    listTimeline: (runId, page) => readInTurn(() => listTimeline(database, runId, page)),
    listSteps: (runId, page) => readInTurn(() => listSteps(database, runId, page)),
    resumeRuns: (runs, now) => p.queueing(() => resumeRuns(runs, now)),
    sumSpend: (filter) => readInTurn(() => sumSpend(database, filter)),
  };
}

/** Prepared, because an export reads many runs, one at a time. */
function prepareGetRun({ db, names }: SqliteDatabase): (id: string) => (Run & { keyId: string | null }) | null {
  const select = db
    .select({
      ...runSummaryColumns,
      errorStack: run.errorStack,
      keyId: run.keyId,
      payload: sql<string | null>`${sql.raw(payloadSql)}`,
      input: sql<string | null>`${sql.raw(inputSql)}`,
      output: run.output,
    })
    .from(run)
    .where(eq(run.id, sql.placeholder("id")))
    .prepare();
  return (id) => {
    const row = select.get({ id: runId.pack(id) });
    if (!row) return null;
    const [payload, input] = [row.payload, row.input].map((json) => (json === null ? null : JSON.parse(json)));
    return toRun({
      ...nameRun(row, names),
      payload,
      input,
      keyId: row.keyId === null ? null : names.textOf(row.keyId),
    });
  };
}

function seqsOf({ db }: SqliteDatabase, ids: readonly string[]): number[] {
  const rows = db
    .select({ seq: run.seq })
    .from(run)
    .where(inArray(run.id, [...ids]))
    .all();
  return rows.map(({ seq }) => seq);
}

/** Sorts positions only: a result can have megabytes. The `+` keeps SQLite from reading the steps of all runs in order. */
function listSteps({ db }: SqliteDatabase, id: string, p: Parameters<RunStore["listSteps"]>[1]) {
  const positions = db
    .select({ position: runStep.position })
    .from(run)
    .innerJoin(runStep, eq(runStep.run, run.seq))
    .where(
      and(
        eq(run.id, id),
        p.name === undefined ? undefined : eq(runStep.name, p.name),
        sql`+${runStep.position} > ${p.after}`,
      ),
    )
    .orderBy(sql`+${runStep.position}`)
    .limit(p.limit)
    .all();
  const { run: _, ...columns } = getTableColumns(runStep);
  return db
    .select(columns)
    .from(runStep)
    .where(
      inArray(
        runStep.position,
        positions.map(({ position }) => position),
      ),
    )
    .orderBy(asc(runStep.position))
    .all();
}

function sumSpend(database: SqliteDatabase, filter: SpendFilter) {
  const rows = database.db.all<Omit<SpendRow, "agent"> & { agent: number }>(spendQuery(database, filter));
  return toSpend(rows.map((row) => ({ ...row, agent: database.names.textOf(row.agent) }) as SpendRow));
}

/** Exported for the test of its query plan. */
export function spendQuery(database: SqliteDatabase, filter: SpendFilter): SQL {
  const listed = spendingRunsQuery({ ...runList, id: runList.seq }, sql`run_list INDEXED BY run_by_spend`, filter);
  const unlisted = spendingRunsQuery({ ...run, id: run.seq }, sql`run NOT INDEXED`, filter);
  return sumSpendQuery(
    sql`${listed} UNION ALL ${unlisted} AND ${sql.raw(isUnlistedSql("run"))}`,
    rowTerms(numberNames(database, filter)),
  );
}
