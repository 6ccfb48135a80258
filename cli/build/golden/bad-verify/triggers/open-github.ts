import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "open-github",
  endpoint: "code",
  request: z.object({ id: z.string() }),
}).attach({ workflow: work });
