import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { bySns } from "../lib/others";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "ordered-by-topic",
  endpoint: "ordered-by-topic",
  request: z.object({ id: z.string() }),
  verify: bySns,
}).attach({ workflow: work });
