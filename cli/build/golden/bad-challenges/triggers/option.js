import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "option",
  endpoint: "option",
  request: z.object({ id: z.string() }),
  challenge: { echo: { query: "a" }, status: 201 },
}).attach({ workflow: work });
