import { type ApprovalDecision, approvalStepSchema } from "../../contract/agent/trace.ts";
import type { RunStatus } from "../../contract/run.ts";

/** Whether an approval can be decided. A running run has already read its decisions, or is about to wait for them again. */
export function canDecide(p: { status: RunStatus; decidedAt: number | string | null }): boolean {
  return p.status === "waiting" && p.decidedAt === null;
}

/**
 * The step of an approval with a person's decision beside the request. The run is due if it has no other pending
 * approval. `null`: the approval is already decided, or the run does not wait.
 */
export function planDecision<Result>(
  { status, attempt }: { status: RunStatus; attempt: number },
  step: { name: string; finishedAt: number | null; result: Result; otherPending: number },
  { decision, now }: { decision: ApprovalDecision; now: number },
) {
  if (!canDecide({ status, decidedAt: step.finishedAt })) return null;
  return {
    step: { finishedAt: now, result: withDecision(step.result, decision) },
    entry: { at: now, kind: "approval_decided" as const, attempt, name: step.name, data: decision },
    isDue: step.otherPending === 0,
  };
}

function withDecision<Result>(result: Result, decision: ApprovalDecision) {
  const { request } = approvalStepSchema.parse(result);
  if (typeof result !== "object" || result === null) throw new Error("The step of an approval is not an object");
  return { ...result, request, decision };
}
