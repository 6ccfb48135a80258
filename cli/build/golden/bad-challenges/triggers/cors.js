import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "cors",
  endpoint: "cors",
  request: z.object({ id: z.string() }),
  challenge: { method: "OPTIONS", echo: { header: "origin" }, as: { header: "access-control-allow-origin" } },
}).attach({ workflow: work });
