import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "spaced",
  endpoint: "spaced",
  request: z.object({ id: z.string() }),
  dedupe: { header: "x id" },
}).attach({ workflow: work });
