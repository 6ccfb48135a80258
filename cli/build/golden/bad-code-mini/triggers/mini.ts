import { defineWebhookSource } from "signalbox/trigger";
import * as z from "zod/mini";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "mini",
  endpoint: "mini",
  request: z.object({
    refine: z.string().check(z.refine((text) => text !== "")),
    superRefine: z.string().check(z.superRefine(() => {})),
    transform: z.pipe(z.string(), z.transform(Number)),
    regex: z.string().check(z.regex(/^(a+)+$/)),
    date: z.optional(z.date()),
    fine: z.string().check(z.trim(), z.minLength(1)),
  }),
}).attach({ workflow: work });
