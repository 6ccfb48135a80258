import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "every-type",
  endpoint: "every-type",
  request: z.object({
    date: z.date(),
    laterDate: z.date().min(new Date(0)).optional(),
    bigint: z.bigint(),
    int64: z.int64(),
    map: z.map(z.string(), z.string()),
    set: z.set(z.string()),
    symbol: z.symbol(),
    undefined: z.undefined(),
    void: z.void(),
    nan: z.nan(),
    file: z.file(),
    promise: z.promise(z.string()),
    function: z.function(),
    literalBigint: z.literal(1n),
    literalUndefined: z.literal(undefined),
  }),
}).attach({ workflow: work });
