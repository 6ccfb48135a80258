import { and, count, eq, isNull } from "drizzle-orm";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import { withDecision } from "../shared/decided-approval.ts";
import { run, runStep } from "./schema.ts";
import type { Session } from "./session.ts";
import { addEntries } from "./timeline.ts";

type Decide = RunStore["decideApproval"];

/** The run goes on as soon as nothing is left to decide. Its row is locked: of two who decide, one is first. */
export async function decideApproval(
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
