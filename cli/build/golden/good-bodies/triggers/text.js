import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "text",
  endpoint: "text",
  request: z.string().max(1000),
  body: "text",
}).attach({ workflow: work });
