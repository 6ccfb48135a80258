import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "unknown",
  endpoint: "unknown",
  request: z.object({ id: z.string() }),
  challenge: "dropboks",
}).attach({ workflow: work });
