import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "orders",
  endpoint: "orders",
  request: z.object({ id: z.string() }),
  query: z.object({ topic: z.enum(["orders", "refunds"]), tag: z.array(z.string()).optional() }),
}).attach({
  workflow: work,
  transform: ({ id }, { query }) => ({ id: `${query.topic} ${query.tag?.join() ?? ""} ${id}` }),
});
