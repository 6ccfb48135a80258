import { defineWebhookSource } from "signalbox/trigger";
import { github, stripe } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "closed-github",
  endpoint: "code",
  request: z.object({ id: z.string() }),
  verify: github({ secret: "a secret of some length" }),
}).attach({ workflow: work });
