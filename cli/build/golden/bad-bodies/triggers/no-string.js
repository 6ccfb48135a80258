import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "no-string",
  endpoint: "no-string",
  request: z.object({ id: z.string() }),
  body: "bytes",
}).attach({ workflow: work });
