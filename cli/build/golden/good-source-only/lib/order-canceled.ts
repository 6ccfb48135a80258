import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export const orderCanceled = defineWebhookSource({
  slug: "order-canceled",
  endpoint: "orders/canceled",
  request: z.object({ order: z.object({ id: z.string() }) }),
});
