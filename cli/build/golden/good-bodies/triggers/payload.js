import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "payload",
  endpoint: "payload",
  request: z.object({ action: z.string(), number: z.int() }),
  body: { type: "form", field: "payload" },
  bigints: "string",
}).attach({ workflow: work });
