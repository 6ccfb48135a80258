import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "default",
  endpoint: "default",
  request: z.object({
    note: z.string().default(undefined as never),
    fails: z.string().default(() => {
      throw new Error("no default today");
    }),
  }),
}).attach({ workflow: work });
