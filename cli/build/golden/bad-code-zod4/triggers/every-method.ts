import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "every-method",
  endpoint: "every-method",
  request: z.object({
    transform: z.string().transform(Number),
    pipedTransform: z.string().pipe(z.transform((text: string) => text.length)),
    bareTransform: z.transform((value) => value),
    preprocess: z.preprocess((value) => value, z.string()),
    refine: z.string().refine((text) => text !== ""),
    refineThenMore: z
      .string()
      .refine((text) => text !== "")
      .min(3)
      .optional(),
    superRefine: z.string().superRefine(() => {}),
    check: z.string().check(() => {}),
    overwrite: z.string().overwrite((text) => `${text}!`),
    custom: z.custom<string>((value) => typeof value === "string"),
    instanceOf: z.instanceof(URL),
    codec: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
    stringbool: z.stringbool(),
    stringFormat: z.stringFormat("even", (text) => text.length % 2 === 0),
    property: z.string().check(z.property("length", z.number().min(3))),
    catch: z.string().catch("none"),
    coercedString: z.coerce.string(),
    coercedNumber: z.coerce.number().min(1),
    coercedBoolean: z.coerce.boolean(),
    coercedDate: z.coerce.date(),
    varyingDefault: z.string().default(() => new Date().toISOString()),
    dateDefault: z.any().default(new Date(0)),
    stringboolsBelow: z.array(z.stringbool({ truthy: ["on"], falsy: ["off"], case: "sensitive" }).optional()),
  }),
}).attach({ workflow: work });
