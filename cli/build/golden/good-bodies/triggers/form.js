import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "form",
  endpoint: "form",
  request: z.object({ text: z.string(), tags: z.union([z.string(), z.array(z.string())]).optional() }),
  body: "form",
}).attach({ workflow: work });
