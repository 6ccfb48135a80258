import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "body",
  endpoint: "body",
  request: z.object({ id: z.string() }),
  filter: z.array(z.string()),
}).attach({ workflow: work });
