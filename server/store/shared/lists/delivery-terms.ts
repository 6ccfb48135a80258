import { type Column, eq, type SQL } from "drizzle-orm";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import type { Term } from "./read-list.ts";

type FilteredColumn = "redeliveryOf" | "endpoint" | "responseStatus" | "outcome";

/** The terms of a delivery filter. Names can be numbers, as in SQLite's rows. */
export function deliveryTerms(
  delivery: Readonly<Record<FilteredColumn, Column>>,
  filter: Omit<DeliveryFilter, "endpoint"> & { endpoint?: string | number | undefined },
  p: { hasVerdict: (verdict: NonNullable<DeliveryFilter["verdict"]>) => SQL; hasText: (text: string) => SQL },
): Term[] {
  const { redeliveryOf, endpoint, responseStatus, outcome, verdict, text } = filter;
  const terms: (Term | undefined)[] = [
    redeliveryOf === undefined
      ? undefined
      : { condition: eq(delivery.redeliveryOf, redeliveryOf), index: "delivery_by_redelivery" },
    endpoint === undefined ? undefined : { condition: eq(delivery.endpoint, endpoint), index: "delivery_by_endpoint" },
    responseStatus === undefined
      ? undefined
      : { condition: eq(delivery.responseStatus, responseStatus), index: "delivery_by_response_status" },
    outcome === undefined ? undefined : { condition: eq(delivery.outcome, outcome), index: "delivery_by_outcome" },
    verdict && { condition: p.hasVerdict(verdict), isSlow: true },
    text === undefined ? undefined : { condition: p.hasText(text), isSlow: true },
  ];
  return terms.filter((term) => term !== undefined);
}
