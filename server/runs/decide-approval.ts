import { AppError } from "../contract/app-error.ts";
import type { AuditActor } from "../contract/access/audit.ts";
import type { Run } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { Signals } from "../ports/signals.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./find-run.ts";

export interface ApprovalAnswer {
  id: string;
  /** Of the step, e.g. `approval 1.1 refund`. */
  name: string;
  isApproved: boolean;
  reason: string | null;
  actor: AuditActor;
}

/**
 * Approves or denies a pending tool call of an agent's run and returns the run. The model gets a denial with its
 * reason. Throws AppError `not_found` or `approval_closed`.
 */
export async function decideApproval(
  deps: { store: Pick<RunStore, "decideApproval" | "getRun">; signals: Signals; clock: Clock },
  p: ApprovalAnswer,
): Promise<Run> {
  const decision = { isApproved: p.isApproved, reason: p.reason, by: p.actor.name ?? p.actor.kind };
  const result = await deps.store.decideApproval({ runId: p.id, name: p.name, decision, now: deps.clock.now() });
  const run = await findRun(deps, { id: p.id });
  if (result === "missing")
    throw new AppError("not_found", `Run ${p.id} has no pending approval ${JSON.stringify(p.name)}.`);
  if (result === "closed")
    throw new AppError(
      "approval_closed",
      `${JSON.stringify(p.name)} of run ${p.id} is already decided, or the run (${run.status}) is not waiting for it.`,
    );
  deps.signals.runsQueued();
  return run;
}
