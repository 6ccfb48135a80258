import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

null.length;

export default defineWebhookSource({
  slug: "third",
  endpoint: "third",
  request: z.unknown(),
}).attach({ workflow: work });
