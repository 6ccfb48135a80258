import type { DeliveryFilters } from "./delivery-filters.ts";
import { formatUtc } from "../../../server/domain/format.ts";

export interface ActiveFilter {
  name: keyof DeliveryFilters;
  words: string;
}

/** The filters in force, in words, each to be removed for itself. */
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
    ["status", status === null ? null : `answered ${status}`],
    ["trigger", trigger && `trigger ${trigger}`],
    ["verdict", trigger && verdict && verdict.replaceAll("_", " ")],
    ["since", since && `since ${formatUtc(since).replace(/:00\.000 UTC$/, " UTC")}`],
    ["until", until && `before ${formatUtc(until).replace(/:00\.000 UTC$/, " UTC")}`],
    ["text", text && `contains “${text}”`],
  ];
  return all.flatMap(([name, words]) => (words === null || words === "" ? [] : [{ name, words }]));
}

/** What goes when a filter goes: without its trigger, a verdict means nothing. */
export function withoutFilter(name: keyof DeliveryFilters): Partial<DeliveryFilters> {
  return name === "trigger" ? { trigger: null, verdict: null } : { [name]: null };
}
