import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "containers",
  endpoint: "containers",
  request: z.object({
    array: z.array(z.date()),
    deep: z.object({ items: z.array(z.object({ at: z.date() })) }),
    union: z.union([z.string(), z.date()]),
    discriminated: z.discriminatedUnion("type", [z.object({ type: z.literal("a"), at: z.date() }), z.object({ type: z.literal("b") })]),
    xor: z.xor([z.string(), z.date()]),
    record: z.record(z.string(), z.date()),
    recordKey: z.record(z.string().refine((key) => key !== ""), z.string()),
    tuple: z.tuple([z.string(), z.date()], z.bigint()),
    lazy: z.lazy(() => z.object({ at: z.date() })),
    intersection: z.intersection(z.object({ left: z.date() }), z.object({ right: z.bigint() })),
    pipe: z.string().pipe(z.string().refine((text) => text !== "")),
    optional: z.date().optional(),
    nullable: z.date().nullable(),
    defaulted: z.string().transform((text) => text).default("x"),
    prefaulted: z.date().prefault(() => new Date(0)),
    readonly: z.array(z.date()).readonly(),
    branded: z.date().brand("When"),
    nonoptional: z.nonoptional(z.date().optional()),
    catchall: z.object({}).catchall(z.date()),
    template: z.templateLiteral(["id-", z.string().refine((text) => text !== "")]),
  }),
}).attach({ workflow: work });
