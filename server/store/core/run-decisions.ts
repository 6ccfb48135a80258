import { and, eq, isNull, or } from "drizzle-orm";
import type { RunStore } from "../../ports/store/run-store.ts";
import { planDecision } from "../../shared/runs/approval.ts";
import { planCancel } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import { closeWaits } from "./suspend-for-events.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

export type RunDecisions = Pick<RunStore, "requestCancel" | "decideApproval">;

export function createRunDecisions({ tables: { run, runStep }, write }: StoreDatabase): RunDecisions {
  /** Locks the run, so that two decisions, or a decision and the end of the run, take effect one after the other. */
  function* lockRun({ db, lockedRows }: StoreSession, id: string) {
    const { key, status, attempt, cancelRequestedAt, keySlot } = run;
    const [found] = yield* lockedRows(
      db.select({ key, status, attempt, cancelRequestedAt, keySlot }).from(run).where(eq(run.id, id)),
    );
    return found;
  }

  return {
    requestCancel: (runId, now) =>
      write(function* (session): Operation<Awaited<ReturnType<RunDecisions["requestCancel"]>>> {
        const found = yield* lockRun(session, runId);
        if (!found) return "missing";
        const { outcome, change, entry } = planCancel(found, now);
        if (change) yield* session.run(session.db.update(run).set(change).where(eq(run.key, found.key)));
        if (entry) yield* session.addEntry(found.key, entry);
        if (outcome === "requested") session.notifyHosts();
        if (outcome === "canceled") yield* closeWaits(session, found.key);
        if (outcome === "canceled" || outcome === "released") yield* session.changeSlot(found.key, null, now);
        return outcome;
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
