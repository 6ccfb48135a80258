import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "bounds",
  endpoint: "bounds",
  request: z.object({ percent: z.int().max(100) }),
  filter: z.object({ percent: z.int().min(101) }),
}).attach({ workflow: work });
