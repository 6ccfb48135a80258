import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "twice",
  endpoint: "twice",
  request: z.object({ a: z.string().meta({ id: "name" }), b: z.number().meta({ id: "name" }) }),
}).attach({ workflow: work });
