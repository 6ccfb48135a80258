import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "./work";

export default defineWebhookSource({
  slug: "misplaced",
  endpoint: "misplaced",
  request: z.unknown(),
}).attach({ workflow: work });
