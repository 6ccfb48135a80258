import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import fulfil from "../workflows/fulfil";

export default defineWebhookSource({
  slug: "new-order",
  endpoint: "orders",
  request: z.object({ order: z.object({ id: z.string() }) }),
}).attach({ workflow: fulfil });
