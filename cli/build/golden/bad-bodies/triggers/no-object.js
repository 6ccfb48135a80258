import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "no-object",
  endpoint: "no-object",
  request: z.string(),
  body: "form",
}).attach({ workflow: work });
