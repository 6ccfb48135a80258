import type { Delivery } from "../../server/contract/delivery.ts";

/** One delivery as its page reads it. Its JSON is that of the body: sent once, as it came. */
export type FullDelivery = Omit<Delivery, "json"> & { probableEndpoint: string | null };
