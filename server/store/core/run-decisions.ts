import { and, eq, isNull, or } from "drizzle-orm";
import type { RunStore } from "../../ports/store/run-store.ts";
import { planDecision } from "../../shared/runs/approval.ts";
import { type ChildLink, hasToSettle } from "../../domain/runs/child-runs.ts";
import { type CancelOutcome, planCancel } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import { closeWaits } from "./suspend-for-events.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

export type RunDecisions = Pick<RunStore, "requestCancel" | "decideApproval">;

export function createRunDecisions({ tables: { run, runStep }, write }: StoreDatabase): RunDecisions {
  /** Locks the run, so that two decisions, or a decision and the end of the run, take effect one after the other. */
  function* lockRun({ db, lockedRows }: StoreSession, id: string) {
    const { key, status, attempt, cancelRequestedAt, keySlot, childLink, isParent } = run;
    const columns = { key, status, attempt, cancelRequestedAt, keySlot, childLink, isParent };
    const [found] = yield* lockedRows(db.select(columns).from(run).where(eq(run.id, id)));
    return found;
  }

  return {
    requestCancel: (runId, now) =>
      write(function* (session): Operation<Awaited<ReturnType<RunDecisions["requestCancel"]>>> {
        const found = yield* lockRun(session, runId);
        if (!found) return "missing";
        return yield* cancelRun(session, found, now);
      }),
    decideApproval: ({ runId, name, decision, now }) =>
      write(function* (session) {
        const { db } = session;
        const found = yield* lockRun(session, runId);
        if (!found) return "missing";
        const isApproval = and(eq(runStep.run, found.key), eq(runStep.kind, "approval"));
        const approvals = yield* session.rows(
          db
            .select({ name: runStep.name, finishedAt: runStep.finishedAt, result: runStep.result })
            .from(runStep)
            .where(and(isApproval, or(eq(runStep.name, name), isNull(runStep.finishedAt)))),
        );
        const step = approvals.find((approval) => approval.name === name);
        if (!step) return "missing";
        const otherPending = approvals.filter((approval) => approval.name !== name).length;
        const plan = planDecision(found, { ...step, otherPending }, { decision, now });
        if (!plan) return "closed";
        yield* session.run(
          db
            .update(runStep)
            .set(plan.step)
            .where(and(isApproval, eq(runStep.name, name))),
        );
        yield* session.addEntry(found.key, plan.entry);
        if (plan.isDue) {
          yield* session.run(db.update(run).set({ availableAt: now }).where(eq(run.key, found.key)));
          session.notifyHosts();
        }
        return "decided";
      }),
  };
}

type CancelableRun = Parameters<typeof planCancel>[0] & { key: RowKey; childLink: ChildLink | null; isParent: boolean };

/** Cancels a run whose row is locked; see planCancel. */
export function* cancelRun(session: StoreSession, found: CancelableRun, now: number): Operation<CancelOutcome> {
  const { run } = session.tables;
  const { key, childLink: link, isParent } = found;
  const { outcome, change, entry } = planCancel(found, now);
  const settles = outcome === "canceled" && hasToSettle({ link, isParent, status: "canceled" });
  if (change)
    yield* session.run(
      session.db
        .update(run)
        .set({ ...change, ...(settles && { settleAt: now }) })
        .where(eq(run.key, key)),
    );
  if (entry) yield* session.addEntry(key, entry);
  if (outcome === "requested" || settles) session.notifyHosts();
  if (outcome === "canceled") yield* closeWaits(session, key);
  if (outcome === "canceled" || outcome === "released") yield* session.changeSlot(key, null, now);
  return outcome;
}
