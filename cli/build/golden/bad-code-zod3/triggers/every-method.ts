import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod/v3";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "every-method",
  endpoint: "every-method",
  request: z.object({
    transform: z.string().transform(Number),
    preprocess: z.preprocess((value) => value, z.string()),
    refine: z.string().refine((text) => text !== ""),
    superRefine: z.string().superRefine(() => {}),
    custom: z.custom<string>((value) => typeof value === "string"),
    instanceOf: z.instanceof(URL),
    catch: z.string().catch("none"),
    coercedNumber: z.coerce.number(),
    date: z.date(),
    bigint: z.bigint(),
    map: z.map(z.string(), z.string()),
    set: z.set(z.string()),
    symbol: z.symbol(),
    undefined: z.undefined(),
    void: z.void(),
    nan: z.nan(),
    promise: z.promise(z.string()),
    function: z.function(),
    pipeline: z.string().pipe(z.coerce.number()),
    varyingDefault: z.string().default(() => new Date().toISOString()),
    regex: z.string().regex(/^(a+)+$/).min(2),
    nested: z.array(z.tuple([z.union([z.string(), z.record(z.date().optional())])])),
    readonly: z.object({ at: z.date() }).readonly().nullable(),
    branded: z.date().brand("When"),
    lazy: z.lazy(() => z.date()),
    intersection: z.object({ left: z.date() }).and(z.object({ right: z.bigint() })),
    discriminated: z.discriminatedUnion("type", [z.object({ type: z.literal("a"), at: z.date() }), z.object({ type: z.literal("b") })]),
  }),
}).attach({ workflow: work });
