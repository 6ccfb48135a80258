import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export default defineWebhookSource({
  slug: "shipped",
  endpoint: "shipped",
  request: z.unknown(),
});
