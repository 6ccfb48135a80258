import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "files",
  endpoint: "files",
  request: z.object({ from: z.string(), file: z.object({ filename: z.string(), path: z.string() }) }),
  body: "multipart",
}).attach({ workflow: work });
