import { AppError } from "../contract/app-error.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Verdict } from "../contract/delivery.ts";
import { recordGivenQuery } from "../domain/deliveries/query-values.ts";
import { type GivenHeaders, recordGivenHeaders, type RecordedHeaders } from "../domain/deliveries/header-values.ts";
import { disabledVerdict, evaluateTriggers } from "../matching/match-triggers.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import { triggersOnEndpoint, triggersWithSlug } from "./find-triggers.ts";

/**
 * Evaluates a body, headers and a query against each trigger on an endpoint, or each attachment of one trigger, and
 * explains the verdicts. Default of `headers` and `query`: none, as if the request had none. With `headers: null`,
 * neither is evaluated. Starts and records nothing.
 */
export async function explainBody(
  deps: { project: ProjectReader; store: Pick<SwitchStore, "listDisabledTriggers"> },
  request: {
    endpoint?: string | undefined;
    trigger?: string | undefined;
    body: Json;
    headers?: GivenHeaders | null | undefined;
    query?: string | undefined;
  },
): Promise<Verdict[]> {
  const sources = deps.project.current();
  const { endpoint, trigger, body } = request;
  const headers =
    request.headers === null
      ? null
      : { ...recordGivenHeaders(request.headers ?? {}), ...recordGivenQuery(request.query ?? "") };
  const asked =
    endpoint !== undefined && trigger === undefined
      ? triggersOnEndpoint(sources, endpoint)
      : trigger !== undefined && endpoint === undefined
        ? triggersWithSlug(sources, trigger)
        : null;
  if (asked) return verdictsOf(asked, { body, headers, disabled: await deps.store.listDisabledTriggers() });
  throw new AppError("invalid_request", 'Send "endpoint" or "trigger", one of the two.');
}

function verdictsOf(
  triggers: Parameters<typeof evaluateTriggers>[0],
  { body, headers, disabled }: { body: Json; headers: RecordedHeaders | null; disabled: DisabledTriggers },
): Verdict[] {
  return evaluateTriggers(triggers, body, headers).map(({ verdict }) =>
    disabled.has(verdict.trigger) ? disabledVerdict({ ...verdict, slug: verdict.trigger }, disabled) : verdict,
  );
}
