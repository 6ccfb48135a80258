import { type inferParserType, parseAsStringLiteral } from "nuqs/server";
import type { z } from "zod";
import { deliveryFilterSchema, heldFilterSchema } from "../../../server/contract/filters.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import {
  type ActiveFilter,
  describeActive,
  type FieldOfPage,
  formatFilterTime,
  growsOnTop,
  isSet,
  parsersOf,
} from "../../list/filters/active-filters.ts";
import { frameOf, windowMs, windows } from "../../histogram/buckets.ts";
import { pageRows } from "../../list/list-state.ts";

type DeliveryFilter = z.input<typeof deliveryFilterSchema>;

export const { options: outcomes } = deliveryFilterSchema.shape.outcome.unwrap();
export const { options: verdictChoices } = deliveryFilterSchema.shape.verdict.unwrap();

const fields: Record<keyof DeliveryFilter, FieldOfPage> = {
  endpoint: { label: (value) => `endpoint ${value}` },
  // A release changes the outcome and the verdicts of an older delivery.
  outcome: { label: (value) => value, isMutable: true },
  status: { label: (value) => `status ${value}` },
  trigger: { label: (value) => `trigger ${value}` },
  verdict: { label: verdictLabel, isMutable: true },
  redeliveryOf: { label: (value) => `redeliveries of ${value}` },
  since: { label: (value) => `since ${formatFilterTime(value)}` },
  until: { label: (value) => `before ${formatFilterTime(value)}` },
  text: { label: (value) => `contains “${value}”` },
};

export function verdictLabel(verdict: string): string {
  return verdict.replaceAll("_", " ");
}

export const deliveryFilterParsers = parsersOf(deliveryFilterSchema);

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

/** The filter of a bulk release of the list; or the fields that it does not have, and that must be cleared first. */
export function releaseInput(filters: DeliveryFilters, recent: Recent) {
  const { limit: _, outcome: __, ...filter } = listInput(filters, recent);
  const others = Object.keys(filter).filter((name) => !Object.hasOwn(heldFilterSchema.shape, name));
  return { filter: filter as z.input<typeof heldFilterSchema>, others };
}

export function growsByNewDeliveries(filters: DeliveryFilters): boolean {
  return growsOnTop(fields, effective(filters));
}

/** The active filters with the labels of their chips. */
export function activeFilters(filters: DeliveryFilters): ActiveFilter<keyof DeliveryFilters>[] {
  return describeActive(fields, effective(filters));
}

/** The change that removes a filter. The verdict filter depends on the trigger filter. */
export function withoutFilter(name: keyof DeliveryFilters): Partial<DeliveryFilters> {
  return name === "trigger" ? { trigger: null, verdict: null } : { [name]: null };
}
