import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "both",
  endpoint: "both",
  request: z.object({ id: z.string() }),
  dedupe: { header: "x-id", field: "id" },
}).attach({ workflow: work });
