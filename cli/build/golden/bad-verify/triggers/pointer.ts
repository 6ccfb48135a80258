import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "pointer",
  endpoint: "pointer",
  request: z.object({ id: z.string() }),
  dedupe: { field: "/a~2b" },
}).attach({ workflow: work });
