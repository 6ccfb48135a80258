import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "options",
  endpoint: "options",
  request: z.object({ id: z.string() }),
  body: { type: "form", fields: ["payload"] },
}).attach({ workflow: work });
