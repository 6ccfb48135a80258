import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "field",
  endpoint: "field",
  request: z.object({ id: z.string(), customer: z.object({ id: z.union([z.int(), z.string()]).nullish() }), items: z.array(z.object({ sku: z.string() })), more: z.looseObject({}) }),
}).attach({ workflow: work, key: { field: "customer.id" } });
