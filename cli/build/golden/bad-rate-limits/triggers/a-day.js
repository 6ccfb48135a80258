import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "a-day",
  endpoint: "a-day",
  request: z.object({ id: z.string() }),
  rateLimit: { requests: 100, per: "day" },
}).attach({ workflow: work });
