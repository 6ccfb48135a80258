import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "not-an-object",
  endpoint: "not-an-object",
  request: z.object({ id: z.string(), customer: z.object({ id: z.int(), tags: z.array(z.string()) }) }),
}).attach({ workflow: work, key: "/customer/id" });
