import { type ApprovalDecision, approvalStepSchema } from "../../contract/agent/trace.ts";

/** What the step of an approval holds, with the decision beside the request. */
export function withDecision<Result>(result: Result, decision: ApprovalDecision) {
  const { request } = approvalStepSchema.parse(result);
  if (typeof result !== "object" || result === null) throw new Error("The step of an approval holds no object");
  return { ...result, request, decision };
}
