import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "neither",
  endpoint: "neither",
  request: z.object({ id: z.string() }),
  dedupe: {},
}).attach({ workflow: work });
