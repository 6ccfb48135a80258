import { and, count, eq, isNull } from "drizzle-orm";
import { approvalStepSchema } from "../../contract/agent-step.ts";
import { isFinal } from "../../domain/run-state.ts";
import type { RunStore } from "../../ports/store.ts";
import type { SqliteDatabase } from "./database.ts";
import { run, runStep } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

type Decide = RunStore["decideApproval"];

/** The run goes on as soon as nothing is left to decide. */
export function prepareDecideApproval({ db }: SqliteDatabase, addEntry: AddEntry): (p: Parameters<Decide>[0]) => Awaited<ReturnType<Decide>> {
  return ({ runId, name, decision, now }) => {
    const found = db.select({ status: run.status, attempt: run.attempt }).from(run).where(eq(run.id, runId)).get();
    if (!found) return "missing";
    const isThis = and(eq(runStep.runId, runId), eq(runStep.name, name), eq(runStep.kind, "approval"));
    const step = db.select({ finishedAt: runStep.finishedAt, result: runStep.result }).from(runStep).where(isThis).get();
    if (!step) return "missing";
    // A run that is at work has taken its decisions already, or is about to be put aside again.
    if (isFinal(found.status) || step.finishedAt !== null || found.status !== "waiting") return "closed";
    const { request } = approvalStepSchema.parse(step.result);
    db.update(runStep).set({ finishedAt: now, result: { ...asObject(step.result), request, decision } }).where(and(isThis, isNull(runStep.finishedAt))).run();
    addEntry(runId, { at: now, kind: "approval_decided", attempt: found.attempt, name, data: decision });
    const open = db
      .select({ open: count() })
      .from(runStep)
      .where(and(eq(runStep.runId, runId), eq(runStep.kind, "approval"), isNull(runStep.finishedAt)))
      .get();
    if (open?.open === 0) db.update(run).set({ availableAt: now }).where(and(eq(run.id, runId), eq(run.status, "waiting"))).run();
    return "decided";
  };
}

function asObject<T>(value: T): T & object {
  if (typeof value === "object" && value !== null) return value;
  throw new Error("The step of an approval holds no object");
}
