import { type Column, eq, type SQL } from "drizzle-orm";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import { type TermTable, toTerms } from "./filter-terms.ts";
import type { Term } from "./read-list.ts";

/** Names can be numbers, as in SQLite's rows. */
type NumberedFilter = Omit<DeliveryFilter, "endpoint"> & { endpoint?: string | number | undefined };

interface Source {
  delivery: Readonly<Record<"redeliveryOf" | "endpoint" | "responseStatus" | "outcome", Column>>;
  hasVerdict: (verdict: NonNullable<DeliveryFilter["verdict"]>) => SQL;
  hasText: (text: string) => SQL;
}

/** The terms of each field of a delivery filter, most selective first. */
const table: TermTable<NumberedFilter, Source> = {
  redeliveryOf: (id, { delivery }) => [{ condition: eq(delivery.redeliveryOf, id), index: "delivery_by_redelivery" }],
  endpoint: (name, { delivery }) => [{ condition: eq(delivery.endpoint, name), index: "delivery_by_endpoint" }],
  status: (status, { delivery }) => [
    { condition: eq(delivery.responseStatus, status), index: "delivery_by_response_status" },
  ],
  outcome: (outcome, { delivery }) => [{ condition: eq(delivery.outcome, outcome), index: "delivery_by_outcome" }],
  verdict: (verdict, { hasVerdict }) => [{ condition: hasVerdict(verdict), isSlow: true }],
  text: (text, { hasText }) => [{ condition: hasText(text), isSlow: true }],
};

export function deliveryTerms(filter: NumberedFilter, source: Source): Term[] {
  return toTerms(table, filter, source);
}
