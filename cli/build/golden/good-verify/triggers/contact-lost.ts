import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byCrm, bySlack } from "../lib/signed";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "contact-lost",
  endpoint: "crm",
  request: z.object({ contact: z.looseObject({ id: z.int() }) }),
  verify: byCrm,
  dedupe: { header: "x-crm-event", window: 604800000 },
  rateLimit: { requests: 100, per: "minute" },
}).attach({ workflow: work });
