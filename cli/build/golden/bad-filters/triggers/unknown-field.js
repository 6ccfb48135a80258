import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "unknown-field",
  endpoint: "unknown-field",
  request: z.object({ action: z.string(), issue: z.object({ number: z.int() }) }),
  filter: z.object({ action: z.literal("opened"), isue: z.object({ number: z.literal(1) }) }),
}).attach({ workflow: work });
