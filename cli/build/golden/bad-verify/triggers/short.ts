import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "short",
  endpoint: "short",
  request: z.object({ id: z.string() }),
  verify: github({ secret: "hunter2" }),
}).attach({ workflow: work });
