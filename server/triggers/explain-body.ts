import { AppError } from "../contract/app-error.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Verdict } from "../contract/delivery.ts";
import { disabledVerdict, evaluateTriggers } from "../matching/match-triggers.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersOnEndpoint, triggersWithSlug } from "./find-triggers.ts";

/**
 * Evaluates a body against each trigger on an endpoint, or each attachment of one trigger, and explains the verdicts.
 * Starts and records nothing.
 */
export async function explainBody(
  deps: { project: ProjectReader; store: Pick<SwitchStore, "listDisabledTriggers"> },
  request: { endpoint?: string | undefined; trigger?: string | undefined; body: Json },
): Promise<Verdict[]> {
  const sources = deps.project.current();
  const { endpoint, trigger, body } = request;
  const asked =
    endpoint !== undefined && trigger === undefined
      ? triggersOnEndpoint(sources, endpoint)
      : trigger !== undefined && endpoint === undefined
        ? triggersWithSlug(sources, trigger)
        : null;
  if (asked) return verdictsOf(asked, { body, disabled: await deps.store.listDisabledTriggers() });
  throw new AppError("invalid_request", 'Send "endpoint" or "trigger", one of the two.');
}

function verdictsOf(
  triggers: Parameters<typeof evaluateTriggers>[0],
  { body, disabled }: { body: Json; disabled: DisabledTriggers },
): Verdict[] {
  return evaluateTriggers(triggers, body).map(({ verdict }) =>
    disabled.has(verdict.trigger) ? disabledVerdict({ ...verdict, slug: verdict.trigger }, disabled) : verdict,
  );
}
