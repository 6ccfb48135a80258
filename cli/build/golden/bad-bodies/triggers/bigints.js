import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "bigints",
  endpoint: "bigints",
  request: z.object({ id: z.string() }),
  bigints: true,
}).attach({ workflow: work });
