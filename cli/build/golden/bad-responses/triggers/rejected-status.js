import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "rejected-status",
  endpoint: "rejected-status",
  request: z.object({ id: z.string() }),
  reply: { rejected: { status: 200 } },
}).attach({ workflow: work });
