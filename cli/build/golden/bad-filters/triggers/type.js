import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "type",
  endpoint: "type",
  request: z.object({ amount: z.string() }),
  filter: z.object({ amount: z.number().min(100) }),
}).attach({ workflow: work });
