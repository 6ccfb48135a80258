import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "order",
  endpoint: "order",
  request: z.object({ id: z.union([z.int(), z.string()]) }),
  bigints: "string",
}).attach({ workflow: work });
