import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byAcme } from "../lib/others";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "acme-event",
  endpoint: "acme-event",
  request: z.object({ id: z.string() }),
  verify: byAcme,
  dedupe: { header: "x-acme-id" },
}).attach({ workflow: work });
