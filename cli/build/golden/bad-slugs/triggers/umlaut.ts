import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "größe_xl",
  endpoint: "billing//stripe",
  request: z.unknown(),
}).attach({ workflow: work });
