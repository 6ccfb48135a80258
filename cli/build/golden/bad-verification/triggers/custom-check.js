import { defineWebhookSource } from "signalbox/trigger";
import { custom } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "custom-check",
  endpoint: "custom-check",
  request: z.object({ id: z.string() }),
  verify: custom({ name: "acme" }),
}).attach({ workflow: work });
