import { defineWebhookSource } from "signalbox/trigger";
import { sns } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "topic",
  endpoint: "topic",
  request: z.object({ id: z.string() }),
  verify: sns({ topicArn: "orders" }),
}).attach({ workflow: work });
