import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

// Without onMismatch: a shared endpoint skips what no trigger matches, as typed sources do.
export default defineWebhookSource({
  slug: "any-order",
  endpoint: "shopify",
  request: z.object({ name: z.string() }),
  dedupe: { header: "x-shopify-webhook-id" },
}).attach({ workflow: work, transform: ({ name }) => ({ MessageSid: name, Body: "" }) });
