import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { DeliveryOutcome } from "../../../server/contract/delivery.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { type ActiveFilter, formatFilterTime } from "../../list/filters/active-filters.ts";
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

/** The filters in the URL of the list. */
export const deliveryFilterParsers = {
  endpoint: parseAsString,
  outcome: parseAsStringLiteral(outcomes),
  status: parseAsInteger,
  trigger: parseAsString,
  verdict: parseAsStringLiteral(verdictChoices),
  /** Times in ISO 8601, as the API accepts them. */
  since: parseAsString,
  until: parseAsString,
  text: parseAsString,
};

/** The time window of the list and of the histogram. Default: all deliveries; the histogram then has the longest window. */
export const windowParser = parseAsStringLiteral(windows);

/** A window that ends now. `null`: any time. */
export interface Recent {
  window: Window | null;
  now: number;
}

export type DeliveryFilters = inferParserType<typeof deliveryFilterParsers>;

/** The input of the list query, without unset filters. The server rejects invalid values. */
export function listInput(
  { endpoint, outcome, status, trigger, verdict, since: from, until, text }: DeliveryFilters,
  { window, now }: Recent,
) {
  const since = from || (window === null ? null : new Date(now - windowMs[window]).toISOString());
  return {
    ...(endpoint === null ? {} : { endpoint }),
    ...(outcome === null ? {} : { outcome }),
    ...(status === null ? {} : { status }),
    ...(trigger === null ? {} : { trigger }),
    // A verdict filter needs a trigger filter.
    ...(verdict === null || trigger === null ? {} : { verdict }),
    ...(since === null ? {} : { since }),
    ...(until ? { until } : {}),
    ...(text === null || text === "" ? {} : { text: text.slice(0, 200) }),
    limit: pageRows,
  };
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
  const { endpoint, outcome, status, trigger, verdict, since, until, text } = filters;
  const all: [keyof DeliveryFilters, string | null][] = [
    ["endpoint", endpoint && `endpoint ${endpoint}`],
    ["outcome", outcome],
    ["status", status === null ? null : `status ${status}`],
    ["trigger", trigger && `trigger ${trigger}`],
    ["verdict", trigger && verdict && verdict.replaceAll("_", " ")],
    ["since", since && `since ${formatFilterTime(since)}`],
    ["until", until && `before ${formatFilterTime(until)}`],
    ["text", text && `contains “${text}”`],
  ];
  return all.flatMap(([name, label]) => (label === null || label === "" ? [] : [{ name, label }]));
}

/** The change that removes a filter. The verdict filter depends on the trigger filter. */
export function withoutFilter(name: keyof DeliveryFilters): Partial<DeliveryFilters> {
  return name === "trigger" ? { trigger: null, verdict: null } : { [name]: null };
}
