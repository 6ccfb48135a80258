import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byMeta } from "../lib/others";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "page-changed",
  endpoint: "page-changed",
  request: z.object({ id: z.string() }),
  verify: byMeta,
}).attach({ workflow: work });
