import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "value",
  endpoint: "value",
  request: z.object({ id: z.string(), state: z.enum(["open", "closed"]) }),
  filter: z.object({ state: z.enum(["open", "close"]) }),
}).attach({ workflow: work });
