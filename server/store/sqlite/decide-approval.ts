import { and, count, eq, isNull } from "drizzle-orm";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import { withDecision } from "../shared/decided-approval.ts";
import type { SqliteDatabase } from "./database.ts";
import { run, runStep } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

type Decide = RunStore["decideApproval"];

/** The run goes on as soon as nothing is left to decide. */
export function prepareDecideApproval(
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
