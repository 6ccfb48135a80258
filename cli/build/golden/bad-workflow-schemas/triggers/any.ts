import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "any",
  endpoint: "any",
  request: z.unknown(),
}).attach({ workflow: work });
