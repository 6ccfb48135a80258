import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "extra",
  endpoint: "extra",
  request: z.object({ id: z.string(), customer: z.object({ id: z.int(), tags: z.array(z.string()) }) }),
}).attach({ workflow: work, key: { field: "/id", window: "1h" } });
