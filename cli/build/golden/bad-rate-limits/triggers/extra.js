import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "extra",
  endpoint: "extra",
  request: z.object({ id: z.string() }),
  rateLimit: { requests: 100, per: "minute", burst: 5 },
}).attach({ workflow: work });
