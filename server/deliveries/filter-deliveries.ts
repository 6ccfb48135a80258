import { AppError } from "../contract/app-error.ts";
import type { VerdictOutcome } from "../contract/delivery.ts";
import { dropUndefined } from "../domain/drop-undefined.ts";
import type { ProjectSources } from "../ports/project.ts";
import type { DeliveryFilter } from "../ports/store/delivery-store.ts";

/** Filter by a trigger's verdict; `stopped` is every verdict other than a match. */
export const verdictChoices = ["matched", "stopped", "request_mismatch", "filter_mismatch"] as const;
type VerdictChoice = (typeof verdictChoices)[number];

const outcomes: Record<VerdictChoice, readonly VerdictOutcome[]> = {
  matched: ["matched"],
  stopped: ["request_mismatch", "filter_mismatch", "disabled"],
  request_mismatch: ["request_mismatch"],
  filter_mismatch: ["filter_mismatch"],
};

export type DeliveryQuery = { [Name in keyof Omit<DeliveryFilter, "verdict">]: DeliveryFilter[Name] | undefined } & {
  trigger?: string | undefined;
  verdict?: VerdictChoice | undefined;
};

/**
 * Converts a request's filter to the store's filter. A trigger of the project is searched only on its endpoint, where
 * an index finds its deliveries. Throws AppError `invalid_request`.
 */
export function filterDeliveries(sources: ProjectSources, query: DeliveryQuery): DeliveryFilter {
  const { trigger, verdict, ...rest } = query;
  if (trigger === undefined) {
    if (verdict !== undefined)
      throw new AppError("invalid_request", 'A "verdict" is that of a trigger: name the "trigger" too.');
    return dropUndefined(rest);
  }
  const endpoint = rest.endpoint ?? sources.triggers.find(({ slug }) => slug === trigger)?.endpoint;
  const decided = verdict === undefined ? [...outcomes.matched, ...outcomes.stopped] : outcomes[verdict];
  return { ...dropUndefined({ ...rest, endpoint }), verdict: { trigger, outcomes: decided } };
}
