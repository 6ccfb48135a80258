import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "long",
  endpoint: "long",
  request: z.object({ id: z.string() }),
  dedupe: { header: "x-id", window: "31d" },
}).attach({ workflow: work });
