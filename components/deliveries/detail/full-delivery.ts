import type { Delivery } from "../../../server/contract/delivery.ts";

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

/** One delivery on its page. `json` is left out, because the body contains it. */
export type FullDelivery = Omit<Delivery, "json"> & { probableEndpoint: string | null };
