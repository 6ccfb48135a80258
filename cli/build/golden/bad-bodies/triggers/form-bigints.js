import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "form-bigints",
  endpoint: "form-bigints",
  request: z.object({ id: z.string() }),
  body: "form",
  bigints: "string",
}).attach({ workflow: work });
