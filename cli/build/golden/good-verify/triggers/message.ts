import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byCrm, bySlack } from "../lib/signed";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "message",
  endpoint: "slack",
  request: z.object({ type: z.string(), event: z.object({ type: z.string() }) }),
  verify: bySlack,
  dedupe: { field: "event.id" },
}).attach({ workflow: work });
