import { defineWebhookSource } from "signalbox/trigger";
import { mailgun } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "mail",
  endpoint: "mail",
  request: z.object({ sender: z.string(), recipient: z.string() }),
  verify: mailgun({ secret: "x".repeat(32) }),
}).attach({ workflow: work });
