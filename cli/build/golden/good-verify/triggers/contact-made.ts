import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byCrm, bySlack } from "../lib/signed";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "contact-made",
  endpoint: "crm",
  request: z.object({ contact: z.looseObject({ id: z.int() }) }),
  verify: byCrm,
  dedupe: { header: "X-Crm-Event", window: "7d" },
  rateLimit: { per: "minute", requests: 100 },
}).attach({ workflow: work });
