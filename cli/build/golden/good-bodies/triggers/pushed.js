import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "pushed",
  endpoint: "pushed",
  request: z.object({ ref: z.string() }),
  verify: github({ secret: "x".repeat(32) }),
}).attach({ workflow: work });
