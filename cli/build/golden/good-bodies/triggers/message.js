import { defineWebhookSource } from "signalbox/trigger";
import { twilio } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "message",
  endpoint: "message",
  request: z.object({ From: z.string(), Body: z.string() }),
  verify: twilio({ secret: "x".repeat(32) }),
}).attach({ workflow: work });
