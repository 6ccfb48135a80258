import { defineWebhookSource } from "signalbox/trigger";
import { twilio } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "unsent-twilio",
  endpoint: "unsent/twilio",
  request: z.object({ id: z.string() }),
  body: "multipart",
  verify: twilio({ secret: "x".repeat(32) }),
}).attach({ workflow: work });
