import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "no-body",
  endpoint: "no-body",
  request: z.object({ id: z.string() }),
  challenge: { method: "GET", echo: { field: "/challenge" } },
}).attach({ workflow: work });
