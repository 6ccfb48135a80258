import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "other-stripe",
  endpoint: "pay",
  request: z.object({ id: z.string() }),
  verify: stripe({ secret: "another secret of some length" }),
  dedupe: { field: "/id", window: "1h" },
}).attach({ workflow: work });
