import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { plan, type Plan } from "../workflows/work";
import work from "../workflows/work";

export type { Plan };

export default defineWebhookSource({
  slug: "named",
  endpoint: "named",
  request: z.object({ plan }),
}).attach({ workflow: work });
