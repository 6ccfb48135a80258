import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { z } from "zod";
import type { deliveryFilterSchema } from "../../../server/contract/filters.ts";
import type { DeliveryOutcome } from "../../../server/contract/delivery.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import {
  type ActiveFilter,
  describeActive,
  formatFilterTime,
  isSet,
  parsersOf,
} from "../../list/filters/active-filters.ts";
import { frameOf, windowMs, windows } from "../../histogram/buckets.ts";
import { pageRows } from "../../list/list-state.ts";

export const outcomes = [
  "accepted",
  "skipped",
  "rejected",
  "repeated",
  "held",
] as const satisfies readonly DeliveryOutcome[];
export const verdictChoices = [
  "matched",
  "stopped",
  "headers_mismatch",
  "query_mismatch",
  "request_mismatch",
  "filter_mismatch",
] as const;

/** Each filter of the API: how it is in the URL of the list, and the label of its chip. */
const fields = {
  endpoint: { parser: parseAsString, label: (value) => `endpoint ${value}` },
  outcome: { parser: parseAsStringLiteral(outcomes), label: (value) => value },
  status: { parser: parseAsInteger, label: (value) => `status ${value}` },
  trigger: { parser: parseAsString, label: (value) => `trigger ${value}` },
  verdict: { parser: parseAsStringLiteral(verdictChoices), label: (value) => value.replaceAll("_", " ") },
  redeliveryOf: { parser: parseAsString, label: (value) => `redeliveries of ${value}` },
  /** Times in ISO 8601, as the API accepts them. */
  since: { parser: parseAsString, label: (value) => `since ${formatFilterTime(value)}` },
  until: { parser: parseAsString, label: (value) => `before ${formatFilterTime(value)}` },
  text: { parser: parseAsString, label: (value) => `contains “${value}”` },
} satisfies Record<keyof DeliveryFilter, { parser: unknown; label: (value: string) => string }>;

type DeliveryFilter = z.input<typeof deliveryFilterSchema>;
export const deliveryFilterParsers = parsersOf(fields);

/** The time window of the list and of the histogram. Default: all deliveries; the histogram then has the longest window. */
export const windowParser = parseAsStringLiteral(windows);

/** A window that ends now. `null`: any time. */
export interface Recent {
  window: Window | null;
  now: number;
}

export type DeliveryFilters = inferParserType<typeof deliveryFilterParsers>;

/** The input of the list query, without unset filters. The server rejects invalid values. */
export function listInput(filters: DeliveryFilters, { window, now }: Recent): DeliveryFilter & { limit: number } {
  const start = window === null ? null : new Date(now - windowMs[window]).toISOString();
  const text = filters.text?.slice(0, 200) ?? null;
  const given = Object.entries({ ...effective(filters), text }).filter(([, value]) => isSet(value));
  return { ...(start === null ? {} : { since: start }), ...Object.fromEntries(given), limit: pageRows };
}

/** A verdict filter needs a trigger filter. */
function effective(filters: DeliveryFilters): DeliveryFilters {
  return isSet(filters.trigger) ? filters : { ...filters, verdict: null };
}

/**
 * The input of the histogram query: the filters of the list, over the window that ends now, or over an earlier time
 * range.
 */
export function histogramInput(filters: DeliveryFilters, { window, now }: Recent) {
  const { since, until } = filters;
  const { limit: _, ...on } = listInput({ ...filters, since: null, until: null }, { window: null, now });
  return { ...on, ...frameOf({ window: window ?? "7d", now, since: since || null, until: until || null }) };
}

/** The active filters with the labels of their chips. */
export function activeFilters(filters: DeliveryFilters): ActiveFilter<keyof DeliveryFilters>[] {
  return describeActive(fields, effective(filters));
}

/** The change that removes a filter. The verdict filter depends on the trigger filter. */
export function withoutFilter(name: keyof DeliveryFilters): Partial<DeliveryFilters> {
  return name === "trigger" ? { trigger: null, verdict: null } : { [name]: null };
}
