import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { order } from "../lib/order";

export default defineWebhookSource({
  slug: "order-shipped",
  endpoint: "orders/shipped",
  request: z.object({ order }),
});
