import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "credential",
  endpoint: "credential",
  request: z.object({ id: z.string() }),
  headers: z.object({ authorization: z.string(), "x-hub-signature-256": z.string() }),
}).attach({ workflow: work });
