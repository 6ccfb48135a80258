import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "pushed",
  endpoint: "github",
  request: z.object({ ref: z.string() }),
  verify: github({ secret: "the secret of a test project" }),
  dedupe: { header: "X-GitHub-Delivery", window: "7d" },
}).attach({ workflow: work });
