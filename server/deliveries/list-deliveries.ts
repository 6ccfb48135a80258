import type { DeliverySummary } from "../contract/delivery.ts";
import type { Page } from "../contract/page.ts";
import type { DeliveryFilter, DeliveryStore, PageRequest } from "../ports/store.ts";

/** Deliveries, newest first, without their bodies. */
export function listDeliveries(
  deps: { store: Pick<DeliveryStore, "listDeliveries"> },
  p: { filter: DeliveryFilter; page: PageRequest },
): Promise<Page<DeliverySummary>> {
  return deps.store.listDeliveries(p.filter, p.page);
}
