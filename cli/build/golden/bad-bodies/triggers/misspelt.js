import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "misspelt",
  endpoint: "misspelt",
  request: z.object({ id: z.string() }),
  body: "urlencoded",
}).attach({ workflow: work });
