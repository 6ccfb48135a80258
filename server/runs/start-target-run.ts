import type { Json } from "../contract/json.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/target.ts";
import type { NewRun } from "../ports/store.ts";
import { findWorkflow } from "./find-workflow.ts";
import { startWorkflowRun } from "./start-workflow-run.ts";

/** Starts a target with an input of the caller's. Throws AppError `not_found` or `invalid_input`. */
export async function startTargetRun(
  deps: Parameters<typeof startWorkflowRun>[0],
  request: { target: Target; input: Json; startedBy: StartedBy },
): Promise<NewRun> {
  const { slug } = findWorkflow(deps.project.current().manifest, request.target);
  return startWorkflowRun(deps, { slug, input: request.input, startedBy: request.startedBy });
}
