import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "two-values",
  endpoint: "two-values",
  request: z.object({ id: z.string() }),
  challenge: { echo: { query: "a", header: "b" } },
}).attach({ workflow: work });
