import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "patterns",
  endpoint: "patterns",
  request: z.object({
    exponential: z.string().regex(/^(a+)+$/),
    quadratic: z.string().regex(/\s+$/),
    flagged: z.string().regex(/^(A|a)*$/i),
    email: z.email({ pattern: /^(\w+\s?)*@$/ }),
    host: z.url({ hostname: /^(a+)+$/ }),
    format: z.stringFormat("words", /^(\w+\s?)*$/),
    template: z.templateLiteral([z.string(), "-", z.string(), "-", z.string()]),
    optional: z.string().regex(/a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaa!/),
    nested: z.string().regex(/^(?:(?:a{1,30}){1,30}){1,30}$/),
    unreadable: z.string().regex(/^[\p{L}--[a-z]]+$/v),
    fine: z.string().regex(/^[a-z]+(?:-[a-z]+)*$/),
  }),
}).attach({ workflow: work });
