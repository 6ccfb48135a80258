import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "half",
  endpoint: "half",
  request: z.object({ id: z.string() }),
  rateLimit: { requests: 100 },
}).attach({ workflow: work });
