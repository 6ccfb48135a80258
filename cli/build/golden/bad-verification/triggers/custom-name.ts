import { defineWebhookSource } from "signalbox/trigger";
import { custom } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "custom-name",
  endpoint: "custom-name",
  request: z.object({ id: z.string() }),
  verify: custom({ name: "Acme Inc", check: () => true }),
}).attach({ workflow: work });
