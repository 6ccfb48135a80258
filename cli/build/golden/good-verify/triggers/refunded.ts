import { defineWebhookSource } from "signalbox/trigger";
import { shopify } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "refunded",
  endpoint: "refunds",
  request: z.object({ id: z.int() }),
  verify: shopify({ secret: "the secret of a test project" }),
  dedupe: { window: "30d" },
}).attach({ workflow: work });
