import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "text",
  endpoint: "text",
  request: z.object({ id: z.string() }),
  methods: ["GET"],
  body: "text",
}).attach({ workflow: work });
