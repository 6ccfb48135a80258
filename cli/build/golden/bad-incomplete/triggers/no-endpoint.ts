import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "no-endpoint",
  request: z.unknown(),
}).attach({ workflow: work });
