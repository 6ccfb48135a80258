import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "method",
  endpoint: "method",
  request: z.object({ id: z.string() }),
  challenge: ["trello", { method: "PUT" }],
}).attach({ workflow: work });
