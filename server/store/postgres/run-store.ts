import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { RunStatus } from "../../contract/run.ts";
import { queueFull } from "../../domain/runs/new-run.ts";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import { withDecision } from "../shared/decided-approval.ts";
import { toRun, toRunSummary } from "../shared/run-shapes.ts";
import { type SpendRow, spendingRunsQuery, sumSpendQuery, toSpend } from "../shared/sum-spend.ts";
import type { AcceptVerb } from "./accept-deliveries.ts";
import type { PostgresDatabase } from "./database.ts";
import { listRuns, readRunRows, runSummaryColumns } from "./list-runs.ts";
import { run, runStep } from "./schema.ts";
import type { Session } from "./session.ts";
import { addEntries, listTimeline } from "./timeline.ts";

export function createRunStore({ read, write }: PostgresDatabase, accept: AcceptVerb): RunStore {
  return {
    async createRuns(runs) {
      const { result } = await accept({ delivery: null, runs, idempotency: null });
      if (result.kind === "full") throw queueFull(result.queue);
    },
    createFittingRuns: async (runs) =>
      (await accept({ delivery: null, runs, idempotency: null, isFitting: true })).left,
    listRuns: (filter, page) => read((session) => listRuns(session, filter, page)),
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
    requestCancel: (runId, now) => write((session) => requestCancel(session, runId, now)),
    decideApproval: (p) => write((session) => decideApproval(session, p)),
    sumSpend: (filter) =>
      read(async ({ db }) =>
        toSpend(await db.execute<SpendRow>(sumSpendQuery(run, spendingRunsQuery(run, sql`run`, filter), filter))),
      ),
    countOpenRuns: () =>
      read(async (session) => {
        const rows = await session.rows<{ status: RunStatus; count: number }>(
          "SELECT status, count(*) AS count FROM run WHERE status IN ('queued', 'running', 'waiting') GROUP BY status",
        );
        const count = (status: RunStatus) => rows.find((row) => row.status === status)?.count ?? 0;
        return { queued: count("queued"), running: count("running"), waiting: count("waiting") };
      }),
  };
}

async function requestCancel(session: Session, id: string, now: number): ReturnType<RunStore["requestCancel"]> {
  const { db } = session;
  const [found] = await db
    .select({ status: run.status, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
    .from(run)
    .where(eq(run.id, id))
    .for("no key update");
  if (!found) return "missing";
  if (isFinal(found.status)) return "ended";
  if (found.status === "running") {
    if (found.cancelRequestedAt !== null) return "requested";
    await db.update(run).set({ cancelRequestedAt: now }).where(eq(run.id, id));
    await addEntries(session, [{ runId: id, entry: { at: now, kind: "cancel_requested", attempt: found.attempt } }]);
    return "requested";
  }
  await db.update(run).set({ status: "canceled", finishedAt: now, cancelRequestedAt: now }).where(eq(run.id, id));
  await addEntries(session, [{ runId: id, entry: { at: now, kind: "canceled", attempt: found.attempt } }]);
  return "canceled";
}

type Decide = RunStore["decideApproval"];

/** The run goes on as soon as nothing is left to decide. Its row is locked: of two who decide, one is first. */
async function decideApproval(
  session: Session,
  { runId, name, decision, now }: Parameters<Decide>[0],
): ReturnType<Decide> {
  const { db } = session;
  const [found] = await db
    .select({ status: run.status, attempt: run.attempt })
    .from(run)
    .where(eq(run.id, runId))
    .for("no key update");
  if (!found) return "missing";
  const isThis = and(eq(runStep.runId, runId), eq(runStep.name, name), eq(runStep.kind, "approval"));
  const [step] = await db
    .select({ finishedAt: runStep.finishedAt, result: runStep.result })
    .from(runStep)
    .where(isThis);
  if (!step) return "missing";
  // A run that is at work has taken its decisions already, or is about to be put aside again.
  if (isFinal(found.status) || step.finishedAt !== null || found.status !== "waiting") return "closed";
  await db
    .update(runStep)
    .set({ finishedAt: now, result: withDecision(step.result, decision) })
    .where(isThis);
  await addEntries(session, [
    { runId, entry: { at: now, kind: "approval_decided", attempt: found.attempt, name, data: decision } },
  ]);
  const [open] = await db
    .select({ open: count() })
    .from(runStep)
    .where(and(eq(runStep.runId, runId), eq(runStep.kind, "approval"), isNull(runStep.finishedAt)));
  if (open?.open === 0) await db.update(run).set({ availableAt: now }).where(eq(run.id, runId));
  return "decided";
}
