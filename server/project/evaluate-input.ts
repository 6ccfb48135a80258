import type { Json } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import type { Target } from "../contract/project/target.ts";
import { toProblemErrors } from "../matching/explain/explain.ts";
import { parseBody } from "../matching/match-triggers.ts";
import { agentInput } from "../matching/schemas/agent-input.ts";
import type { ProjectCode } from "../ports/project.ts";

/**
 * Parses an input with the Zod schema of its target, within the bounds of a webhook's body. Returns the validation
 * issues; empty if the schema accepts it. `null`: the build does not have the target. Throws what its module throws.
 */
export async function evaluateInput(
  code: Pick<ProjectCode, "workflow">,
  { target, input }: { target: Target; input: Json },
): Promise<ProblemError[] | null> {
  const schema = target.kind === "agent" ? agentInput : (await code.workflow(target.slug))?.input;
  if (!schema) return null;
  const outcome = parseBody(schema, input);
  return outcome.success ? [] : toProblemErrors(outcome.reasons);
}
