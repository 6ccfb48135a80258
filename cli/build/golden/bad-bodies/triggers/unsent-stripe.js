import { defineWebhookSource } from "signalbox/trigger";
import { stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "unsent-stripe",
  endpoint: "unsent/stripe",
  request: z.object({ id: z.string() }),
  body: "form",
  verify: stripe({ secret: "x".repeat(32) }),
}).attach({ workflow: work });
