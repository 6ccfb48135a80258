import { and, count, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Run } from "../../contract/run.ts";
import { queueFull } from "../../domain/runs/new-run.ts";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { NewRun, QueueFull, RunStore, SpendFilter } from "../../ports/store/run-store.ts";
import { withDecision } from "../shared/decided-approval.ts";
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

/** All or none; gives the queue that cannot take them. */
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

/** Apart, so that a test can look at its plan. */
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

type CancelAnswer = Awaited<ReturnType<RunStore["requestCancel"]>>;

function prepareRequestCancel(
  { db }: SqliteDatabase,
  addEntry: AddEntry,
): (runId: string, now: number) => CancelAnswer {
  return (runId, now) => {
    const found = db
      .select({ status: run.status, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
      .from(run)
      .where(eq(run.id, runId))
      .get();
    if (!found) return "missing";
    if (isFinal(found.status)) return "ended";
    if (found.status === "running") {
      if (found.cancelRequestedAt !== null) return "requested";
      db.update(run)
        .set({ cancelRequestedAt: now })
        .where(and(eq(run.id, runId), eq(run.status, "running")))
        .run();
      addEntry(runId, { at: now, kind: "cancel_requested", attempt: found.attempt });
      return "requested";
    }
    db.update(run)
      .set({ status: "canceled", finishedAt: now, cancelRequestedAt: now })
      .where(and(eq(run.id, runId), inArray(run.status, ["queued", "waiting"])))
      .run();
    addEntry(runId, { at: now, kind: "canceled", attempt: found.attempt });
    return "canceled";
  };
}

type Decide = RunStore["decideApproval"];

/** The run goes on as soon as nothing is left to decide. */
function prepareDecideApproval(
  { db }: SqliteDatabase,
  addEntry: AddEntry,
): (p: Parameters<Decide>[0]) => Awaited<ReturnType<Decide>> {
  return ({ runId, name, decision, now }) => {
    const found = db.select({ status: run.status, attempt: run.attempt }).from(run).where(eq(run.id, runId)).get();
    if (!found) return "missing";
    const isThis = and(eq(runStep.runId, runId), eq(runStep.name, name), eq(runStep.kind, "approval"));
    const step = db
      .select({ finishedAt: runStep.finishedAt, result: runStep.result })
      .from(runStep)
      .where(isThis)
      .get();
    if (!step) return "missing";
    // A run that is at work has taken its decisions already, or is about to be put aside again.
    if (isFinal(found.status) || step.finishedAt !== null || found.status !== "waiting") return "closed";
    db.update(runStep)
      .set({ finishedAt: now, result: withDecision(step.result, decision) })
      .where(and(isThis, isNull(runStep.finishedAt)))
      .run();
    addEntry(runId, { at: now, kind: "approval_decided", attempt: found.attempt, name, data: decision });
    const open = db
      .select({ open: count() })
      .from(runStep)
      .where(and(eq(runStep.runId, runId), eq(runStep.kind, "approval"), isNull(runStep.finishedAt)))
      .get();
    if (open?.open === 0)
      db.update(run)
        .set({ availableAt: now })
        .where(and(eq(run.id, runId), eq(run.status, "waiting")))
        .run();
    return "decided";
  };
}
