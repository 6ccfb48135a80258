import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "top-level",
  endpoint: "top-level",
  request: z.object({ amount: z.string() }).transform((body) => body.amount),
  filter: z.object({ amount: z.string() }).refine((body) => body.amount !== "0"),
}).attach({ workflow: work });
