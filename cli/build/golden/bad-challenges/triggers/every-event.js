import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "every-event",
  endpoint: "every-event",
  request: z.object({ id: z.string() }),
  challenge: { method: "POST" },
}).attach({ workflow: work });
