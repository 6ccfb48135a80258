import { defineWebhookSource } from "signalbox/trigger";
import { hmac } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "proof",
  endpoint: "proof",
  request: z.object({ id: z.string() }),
  headers: z.object({ "x-board-webhook": z.string() }),
  verify: hmac({ secret: "0123456789abcdef", header: "X-Board-Webhook" }),
}).attach({ workflow: work });
