import { and, count, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Run } from "../../contract/run.ts";
import { queueFull } from "../../domain/runs/new-run.ts";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { NewRun, QueueFull, RunStore, SpendFilter } from "../../ports/store/run-store.ts";
import { withDecision } from "../shared/decided-approval.ts";
import { toRun, toRunSummary } from "../shared/run-shapes.ts";
import { type SpendRow, spendingRunsQuery, sumSpendQuery, toSpend } from "../shared/sum-spend.ts";
import type { SqliteDatabase } from "./database.ts";
import type { InsertRun } from "./insert-run.ts";
import { isUnlistedSql } from "./list-index.ts";
import { listRuns, nameRun, numberNames, readRunRows, runSummaryColumns } from "./list-runs.ts";
import type { QueueRoom } from "./queue-room.ts";
import { run, runList, runStep } from "./schema.ts";
import { inputSql, isOpenSql, payloadSql } from "./stored-forms.ts";
import { type AddEntry, implied, listTimeline } from "./timeline.ts";
import type { WriteQueue } from "./write-queue.ts";

interface RunStoreParts {
  insertRun: InsertRun;
  room: QueueRoom;
  addEntry: AddEntry;
  queueing: WriteQueue["write"];
}

export function createRunStore(database: SqliteDatabase, p: RunStoreParts): RunStore {
  const { read, readInTurn, write } = database;
  const decideApproval = prepareDecideApproval(database, p.addEntry);
  const requestCancel = prepareRequestCancel(database, p.addEntry);
  return {
    async createRuns(runs) {
      // Thrown behind the transaction: others share it.
      const queue = await p.queueing(() => insertRuns(p, runs));
      if (queue) throw queueFull(queue);
    },
    createFittingRuns: (runs) =>
      p.queueing(() =>
        runs.flatMap((newRun) => {
          const queue = insertRuns(p, [newRun]);
          return queue ? [{ id: newRun.id, queue }] : [];
        }),
      ),
    listRuns: (filter, page) => listRuns(database, filter, page),
    findRuns: (ids) => readInTurn(() => readRunRows(database, seqsOf(database, ids)).map(toRunSummary)),
    getRun: (id) => readInTurn(() => getRun(database, id)),
    listTimeline: (runId, page) => readInTurn(() => listTimeline(database, runId, page)),
    requestCancel: (runId, now) => write(() => requestCancel(runId, now)),
    decideApproval: (decision) => write(() => decideApproval(decision)),
    sumSpend: (filter) => readInTurn(() => sumSpend(database, filter)),
    countOpenRuns: () => read(() => countOpenRuns(database)),
  };
}

/** All or none; gives the queue that cannot take them. */
function insertRuns({ room, insertRun }: RunStoreParts, runs: readonly NewRun[]): QueueFull | null {
  const queue = room.findFull(runs);
  if (queue === null) for (const newRun of runs) insertRun(newRun);
  return queue;
}

function getRun({ db, names }: SqliteDatabase, id: string): (Run & { keyId: string | null }) | null {
  const row = db
    .select({
      ...runSummaryColumns,
      errorStack: run.errorStack,
      key: run.key,
      payload: sql<string | null>`${sql.raw(payloadSql)}`,
      input: sql<string | null>`${sql.raw(inputSql)}`,
      output: run.output,
    })
    .from(run)
    .where(eq(run.id, id))
    .get();
  if (!row) return null;
  const [payload, input] = [row.payload, row.input].map((json) => (json === null ? null : JSON.parse(json)));
  return toRun({ ...nameRun(row, names), payload, input, keyId: row.key === null ? null : names.textOf(row.key) });
}

function seqsOf({ db }: SqliteDatabase, ids: readonly string[]): number[] {
  const rows = db
    .select({ seq: run.seq })
    .from(run)
    .where(inArray(run.id, [...ids]))
    .all();
  return rows.map(({ seq }) => seq);
}

function sumSpend(database: SqliteDatabase, filter: SpendFilter) {
  const rows = database.db.all<Omit<SpendRow, "agent"> & { agent: number }>(spendQuery(database, filter));
  return toSpend(rows.map((row) => ({ ...row, agent: database.names.textOf(row.agent) }) as SpendRow));
}

/** Apart, so that a test can look at its plan. */
export function spendQuery(database: SqliteDatabase, filter: SpendFilter): SQL {
  const numbered = numberNames(database, filter);
  const row = { ...run, id: run.seq };
  const listed = spendingRunsQuery({ ...runList, id: runList.seq }, sql`run_list INDEXED BY run_by_spend`, numbered);
  const unlisted = spendingRunsQuery(row, sql`run NOT INDEXED`, numbered);
  return sumSpendQuery(row, sql`${listed} UNION ALL ${unlisted} AND ${sql.raw(isUnlistedSql("run"))}`, numbered);
}

function countOpenRuns({ db }: SqliteDatabase): { queued: number; running: number; waiting: number } {
  const rows = db
    .select({ status: run.status, count: sql<number>`count(*)` })
    .from(run)
    .where(sql.raw(isOpenSql))
    .groupBy(run.status)
    .all();
  const count = (status: "queued" | "running" | "waiting") => rows.find((row) => row.status === status)?.count ?? 0;
  return { queued: count("queued"), running: count("running"), waiting: count("waiting") };
}

type CancelAnswer = Awaited<ReturnType<RunStore["requestCancel"]>>;

function prepareRequestCancel(
  { db, changed }: SqliteDatabase,
  addEntry: AddEntry,
): (runId: string, now: number) => CancelAnswer {
  return (id, now) => {
    const found = findRun(db, id);
    if (!found) return "missing";
    if (isFinal(found.status)) return "ended";
    const { seq } = found;
    changed();
    if (found.status === "running") {
      if (found.cancelRequestedAt !== null) return "requested";
      db.update(run).set({ cancelRequestedAt: now }).where(eq(run.seq, seq)).run();
      addEntry(seq, { at: now, kind: "cancel_requested", attempt: found.attempt });
      return "requested";
    }
    const impliedEntries = sql`${run.impliedEntries} | ${implied.ended}`;
    db.update(run)
      .set({ status: "canceled", finishedAt: now, cancelRequestedAt: now, impliedEntries })
      .where(eq(run.seq, seq))
      .run();
    return "canceled";
  };
}

function findRun(db: SqliteDatabase["db"], id: string) {
  return db
    .select({ seq: run.seq, status: run.status, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
    .from(run)
    .where(eq(run.id, id))
    .get();
}

type Decide = RunStore["decideApproval"];

/** The run is due as soon as it has no other pending approval. */
function prepareDecideApproval(
  { db, changed }: SqliteDatabase,
  addEntry: AddEntry,
): (p: Parameters<Decide>[0]) => Awaited<ReturnType<Decide>> {
  return ({ runId, name, decision, now }) => {
    const found = findRun(db, runId);
    if (!found) return "missing";
    const { seq } = found;
    const isApproval = and(eq(runStep.run, seq), eq(runStep.kind, "approval"));
    const isThis = and(isApproval, eq(runStep.name, name));
    const step = db
      .select({ finishedAt: runStep.finishedAt, result: runStep.result })
      .from(runStep)
      .where(isThis)
      .get();
    if (!step) return "missing";
    // A running run has read its decisions, or is about to wait again.
    if (isFinal(found.status) || step.finishedAt !== null || found.status !== "waiting") return "closed";
    changed();
    db.update(runStep)
      .set({ finishedAt: now, result: withDecision(step.result, decision) })
      .where(and(isThis, isNull(runStep.finishedAt)))
      .run();
    addEntry(seq, { at: now, kind: "approval_decided", attempt: found.attempt, name, data: decision });
    const open = db
      .select({ open: count() })
      .from(runStep)
      .where(and(isApproval, isNull(runStep.finishedAt)))
      .get();
    if (open?.open === 0) db.update(run).set({ availableAt: now }).where(eq(run.seq, seq)).run();
    return "decided";
  };
}
