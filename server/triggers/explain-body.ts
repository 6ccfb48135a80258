import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Verdict } from "../contract/verdict.ts";
import { evaluateTriggers } from "../matching/evaluate-trigger.ts";
import type { ProjectReader } from "../ports/project.ts";
import { triggersOnEndpoint, triggersWithSlug } from "./find-triggers.ts";

/** What each trigger on an endpoint, or each attachment of one trigger, would say of a body, and why. Starts and records nothing. */
export function explainBody(
  deps: { project: ProjectReader },
  request: { endpoint?: string | undefined; trigger?: string | undefined; body: Json },
): Verdict[] {
  const sources = deps.project.current();
  const { endpoint, trigger, body } = request;
  if (endpoint !== undefined && trigger === undefined) return verdictsOf(triggersOnEndpoint(sources, endpoint), body);
  if (trigger !== undefined && endpoint === undefined) return verdictsOf(triggersWithSlug(sources, trigger), body);
  throw new AppError("invalid_request", 'Send "endpoint" or "trigger", one of the two.');
}

function verdictsOf(triggers: Parameters<typeof evaluateTriggers>[0], body: Json): Verdict[] {
  return evaluateTriggers(triggers, body).map(({ verdict }) => verdict);
}
