import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "mixed",
  endpoint: "mixed",
  request: z.object({ id: z.string() }),
  reply: { status: 200, held: {} },
}).attach({ workflow: work });
