import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "authorization",
  endpoint: "authorization",
  request: z.object({ id: z.string() }),
  challenge: { echo: { header: "Authorization" } },
}).attach({ workflow: work });
