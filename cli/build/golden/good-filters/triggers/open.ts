import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod/v3";
import work from "../workflows/work";

// The request keeps fields that it does not name, so the filter can require them.
export default defineWebhookSource({
  slug: "open",
  endpoint: "open",
  request: z.object({ id: z.string() }).passthrough(),
  filter: z.object({ any: z.literal("a"), deleted: z.never().optional() }),
}).attach({ workflow: work });
