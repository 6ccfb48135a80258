import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { order } from "../lib/order";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "cycle",
  endpoint: "cycle",
  request: z.object({ order }),
}).attach({ workflow: work });
