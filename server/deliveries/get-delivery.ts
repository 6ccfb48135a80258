import { AppError } from "../contract/app-error.ts";
import type { Delivery } from "../contract/delivery.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";

/** One delivery with its body. Throws AppError `not_found`. */
export async function getDelivery(deps: { store: Pick<DeliveryStore, "getDelivery"> }, id: string): Promise<Delivery> {
  const delivery = await deps.store.getDelivery(id);
  if (delivery) return delivery;
  throw new AppError("not_found", `There is no delivery ${JSON.stringify(id)}. Retention may have removed it.`);
}
