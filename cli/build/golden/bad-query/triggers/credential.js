import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "credential",
  endpoint: "credential",
  request: z.object({ id: z.string() }),
  query: z.object({ token: z.string(), clientSecret: z.string(), "auth[sig]": z.string() }),
}).attach({ workflow: work });
