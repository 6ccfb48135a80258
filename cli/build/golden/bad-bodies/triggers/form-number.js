import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "form-number",
  endpoint: "form-number",
  request: z.object({ amount: z.number(), items: z.array(z.string()) }),
  body: "form",
}).attach({ workflow: work });
