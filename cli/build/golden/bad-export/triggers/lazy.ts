import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "lazy",
  endpoint: "lazy",
  request: z.object({ a: z.lazy(() => { throw new Error("too lazy"); }) }),
}).attach({ workflow: work });
