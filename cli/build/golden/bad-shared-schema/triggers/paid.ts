import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { money } from "../lib/money";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "paid",
  endpoint: "paid",
  request: z.object({ total: money }),
}).attach({ workflow: work });
