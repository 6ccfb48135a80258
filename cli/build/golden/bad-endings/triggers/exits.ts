import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

console.error("giving up");
process.exit(3);

export default defineWebhookSource({
  slug: "exits",
  endpoint: "exits",
  request: z.unknown(),
}).attach({ workflow: work });
