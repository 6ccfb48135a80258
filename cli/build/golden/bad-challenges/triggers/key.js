import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "key",
  endpoint: "key",
  request: z.object({ id: z.string() }),
  challenge: { method: "GET", echo: { query: "token" } },
}).attach({ workflow: work });
