import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "shared-one",
  endpoint: "shared",
  request: z.object({ id: z.string() }),
  body: "form",
}).attach({ workflow: work });
