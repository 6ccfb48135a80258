import type { Delivery } from "../../server/contract/delivery.ts";

/** One delivery on its page. `json` is left out, because the body contains it. */
export type FullDelivery = Omit<Delivery, "json"> & { probableEndpoint: string | null };
