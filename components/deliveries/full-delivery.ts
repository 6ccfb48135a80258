import type { Delivery } from "../../server/contract/delivery.ts";

/** One delivery as its page reads it. */
export type FullDelivery = Delivery & { probableEndpoint: string | null };
