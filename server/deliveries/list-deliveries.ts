import type { DeliverySummary } from "../contract/delivery.ts";
import type { Page, PageRequest } from "../contract/list.ts";
import type { DeliveryFilter, DeliveryStore } from "../ports/store/delivery-store.ts";

/** Deliveries, newest first, without their bodies. */
export function listDeliveries(
  deps: { store: Pick<DeliveryStore, "listDeliveries"> },
  p: { filter: DeliveryFilter; page: PageRequest },
): Promise<Page<DeliverySummary>> {
  return deps.store.listDeliveries(p.filter, p.page);
}
