import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "list",
  endpoint: "list",
  request: z.object({ id: z.string() }),
  query: z.array(z.string()),
}).attach({ workflow: work });
