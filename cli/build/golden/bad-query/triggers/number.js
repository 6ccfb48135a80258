import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "number",
  endpoint: "number",
  request: z.object({ id: z.string() }),
  query: z.object({ page: z.number() }),
}).attach({ workflow: work });
