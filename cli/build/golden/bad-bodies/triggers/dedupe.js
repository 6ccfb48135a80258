import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "dedupe",
  endpoint: "dedupe",
  request: z.string(),
  body: "text",
  dedupe: { field: "/id" },
}).attach({ workflow: work });
