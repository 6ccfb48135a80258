import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "outcome-status",
  endpoint: "outcome-status",
  request: z.object({ id: z.string() }),
  reply: { skipped: { status: 404 } },
}).attach({ workflow: work });
