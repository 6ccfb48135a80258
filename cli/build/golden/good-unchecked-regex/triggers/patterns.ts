import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "patterns",
  endpoint: "patterns",
  request: z.object({
    unreadable: z.string().regex(/^[\p{L}--[a-z]]+$/v),
    dangerous: z.string().regex(/^(?:[a-z]{1,9} ?){1,9}$/i),
  }),
}).attach({ workflow: work });
