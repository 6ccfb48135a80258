import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { money } from "../lib/money";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "refunded",
  endpoint: "refunded",
  request: z.object({ refund: money }),
}).attach({ workflow: work });
