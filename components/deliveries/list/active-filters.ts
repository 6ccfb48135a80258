import type { DeliveryFilters } from "./delivery-filters.ts";
import { formatUtc } from "../../../server/domain/format.ts";

export interface ActiveFilter {
  name: keyof DeliveryFilters;
  words: string;
}

/** The labels of the active filters. */
export function activeFilters({
  endpoint,
  outcome,
  status,
  trigger,
  verdict,
  since,
  until,
  text,
}: DeliveryFilters): ActiveFilter[] {
  const all: [keyof DeliveryFilters, string | null][] = [
    ["endpoint", endpoint && `endpoint ${endpoint}`],
    ["outcome", outcome],
    ["status", status === null ? null : `status ${status}`],
    ["trigger", trigger && `trigger ${trigger}`],
    ["verdict", trigger && verdict && verdict.replaceAll("_", " ")],
    ["since", since && `since ${formatUtc(since).replace(/:00\.000 UTC$/, " UTC")}`],
    ["until", until && `before ${formatUtc(until).replace(/:00\.000 UTC$/, " UTC")}`],
    ["text", text && `contains “${text}”`],
  ];
  return all.flatMap(([name, words]) => (words === null || words === "" ? [] : [{ name, words }]));
}

/** The change that removes a filter. The verdict filter depends on the trigger filter. */
export function withoutFilter(name: keyof DeliveryFilters): Partial<DeliveryFilters> {
  return name === "trigger" ? { trigger: null, verdict: null } : { [name]: null };
}
