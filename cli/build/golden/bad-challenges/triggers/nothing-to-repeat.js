import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "nothing-to-repeat",
  endpoint: "nothing-to-repeat",
  request: z.object({ id: z.string() }),
  challenge: { method: "GET", as: { field: "challenge" } },
}).attach({ workflow: work });
