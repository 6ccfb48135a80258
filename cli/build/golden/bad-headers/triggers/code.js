import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "code",
  endpoint: "code",
  request: z.object({ id: z.string() }),
  headers: z.object({ "x-event": z.string().refine((name) => name.startsWith("a")) }),
}).attach({ workflow: work });
