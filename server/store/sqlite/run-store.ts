import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Run } from "../../contract/run.ts";
import { planDecision } from "../../domain/runs/approval.ts";
import { queueFull } from "../../domain/runs/new-run.ts";
import { planCancel } from "../../domain/runs/run-state.ts";
import type { NewRun, QueueFull, RunStore, SpendFilter } from "../../ports/store/run-store.ts";
import { toRun, toRunSummary } from "../shared/run-shapes.ts";
import { type SpendRow, sumSpendQuery, toSpend } from "../shared/sum-spend.ts";
import type { SqliteDatabase } from "./database.ts";
import type { InsertRun } from "./insert-run.ts";
import { listRuns, runRowsQuery, runSummaryColumns } from "./list-runs.ts";
import type { QueueRoom } from "./queue-room.ts";
import { run, runStep } from "./schema.ts";
import { type AddEntry, listTimeline } from "./timeline.ts";
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
      // Thrown after the transaction, which other writes share.
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
    findRuns: (ids) =>
      readInTurn(() =>
        runRowsQuery(database, [...ids])
          .all()
          .map(toRunSummary),
      ),
    getRun: (id) => readInTurn(() => getRun(database, id)),
    listTimeline: (runId, page) => readInTurn(() => listTimeline(database, runId, page)),
    requestCancel: (runId, now) => write(() => requestCancel(runId, now)),
    decideApproval: (decision) => write(() => decideApproval(decision)),
    sumSpend: (filter) => readInTurn(() => toSpend(database.db.all<SpendRow>(spendQuery(filter)))),
    countOpenRuns: () => read(() => countOpenRuns(database)),
  };
}

/** All or none. Returns the queue that is full. */
function insertRuns({ room, insertRun }: RunStoreParts, runs: readonly NewRun[]): QueueFull | null {
  const queue = room.findFull(runs);
  if (queue === null) for (const newRun of runs) insertRun(newRun);
  return queue;
}

function getRun({ db }: SqliteDatabase, id: string): (Run & { keyId: string | null }) | null {
  const row = db
    .select({
      ...runSummaryColumns,
      errorStack: run.errorStack,
      keyId: run.keyId,
      payload: run.payload,
      input: run.input,
      output: run.output,
    })
    .from(run)
    .where(eq(run.id, id))
    .get();
  return row ? toRun(row) : null;
}

/** Exported for the test of its query plan. */
export function spendQuery(filter: SpendFilter): SQL {
  return sumSpendQuery(run, sql`run INDEXED BY run_by_spend`, filter);
}

function countOpenRuns({ db }: SqliteDatabase): { queued: number; running: number; waiting: number } {
  const rows = db
    .select({ status: run.status, count: sql<number>`count(*)` })
    .from(run)
    .where(sql`status IN ('queued', 'running', 'waiting')`)
    .groupBy(run.status)
    .all();
  const count = (status: "queued" | "running" | "waiting") => rows.find((row) => row.status === status)?.count ?? 0;
  return { queued: count("queued"), running: count("running"), waiting: count("waiting") };
}

type Cancel = RunStore["requestCancel"];

/** The write transaction excludes all other writers: what is read in it stays true. */
function prepareRequestCancel(
  { db }: SqliteDatabase,
  addEntry: AddEntry,
): (...p: Parameters<Cancel>) => Awaited<ReturnType<Cancel>> {
  return (runId, now) => {
    const found = db
      .select({ status: run.status, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
      .from(run)
      .where(eq(run.id, runId))
      .get();
    if (!found) return "missing";
    const { outcome, change, entry } = planCancel(found, now);
    if (change) db.update(run).set(change).where(eq(run.id, runId)).run();
    if (entry) addEntry(runId, entry);
    return outcome;
  };
}

type Decide = RunStore["decideApproval"];

function prepareDecideApproval(
  { db }: SqliteDatabase,
  addEntry: AddEntry,
): (...p: Parameters<Decide>) => Awaited<ReturnType<Decide>> {
  return ({ runId, name, decision, now }) => {
    const found = db.select({ status: run.status, attempt: run.attempt }).from(run).where(eq(run.id, runId)).get();
    const isApproval = and(eq(runStep.runId, runId), eq(runStep.kind, "approval"));
    const approvals = db
      .select({ name: runStep.name, finishedAt: runStep.finishedAt, result: runStep.result })
      .from(runStep)
      .where(and(isApproval, or(eq(runStep.name, name), isNull(runStep.finishedAt))))
      .all();
    const step = approvals.find((approval) => approval.name === name);
    if (!found || !step) return "missing";
    const otherPending = approvals.filter((approval) => approval.name !== name).length;
    const plan = planDecision(found, { ...step, otherPending }, { decision, now });
    if (!plan) return "closed";
    db.update(runStep)
      .set(plan.step)
      .where(and(isApproval, eq(runStep.name, name)))
      .run();
    addEntry(runId, plan.entry);
    if (plan.isDue) db.update(run).set({ availableAt: now }).where(eq(run.id, runId)).run();
    return "decided";
  };
}
