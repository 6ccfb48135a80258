import { defineWebhookSource } from "signalbox/trigger";
import { hmac } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "ordered",
  endpoint: "shop",
  request: z.object({ order: z.int() }),
  verify: hmac({ secret: "the secret of a test project", header: "x-signature", signedContent: "{x-event-id}.{body}" }),
  dedupe: { header: "X-Event-Id" },
}).attach({ workflow: work });
