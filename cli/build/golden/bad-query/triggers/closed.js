import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "closed",
  endpoint: "closed",
  request: z.object({ id: z.string() }),
  query: z.strictObject({ topic: z.string() }),
}).attach({ workflow: work });
