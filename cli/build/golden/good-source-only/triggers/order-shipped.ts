import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export default defineWebhookSource({
  slug: "order-shipped",
  endpoint: "orders/shipped",
  request: z.object({ order: z.object({ id: z.string() }) }),
});
