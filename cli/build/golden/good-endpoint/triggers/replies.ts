import { defineWebhookSource } from "signalbox/trigger";
import { stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

// The build warns: Stripe disables an endpoint after errors.
export default defineWebhookSource({
  slug: "replies",
  endpoint: "replies",
  request: z.object({ id: z.string() }),
  verify: stripe({ secret: "whsec_0123456789abcdef" }),
  reply: { accepted: { body: { text: "On it" } }, rejected: {} },
}).attach({ workflow: work });
