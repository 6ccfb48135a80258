import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byMailgun } from "../lib/others";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "delivered",
  endpoint: "delivered",
  request: z.object({ id: z.string() }),
  verify: byMailgun,
  dedupe: { field: "/id" },
}).attach({ workflow: work });
