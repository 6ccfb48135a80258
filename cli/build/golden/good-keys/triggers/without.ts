import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "without",
  endpoint: "without",
  request: z.object({ id: z.string() }),
}).attach({ workflow: work });
