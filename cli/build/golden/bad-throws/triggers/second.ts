import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { connection } from "../lib/connect";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "second",
  endpoint: "second",
  request: z.literal(connection),
}).attach({ workflow: work });
