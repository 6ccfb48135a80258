import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "bytes",
  endpoint: "bytes",
  request: z.base64(),
  body: "bytes",
}).attach({ workflow: work });
