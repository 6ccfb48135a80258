import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "none",
  endpoint: "none",
  request: z.object({ id: z.string() }),
  rateLimit: { requests: 0, per: "minute" },
}).attach({ workflow: work });
