import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod/v3";
import work from "../workflows/work";

interface Tree {
  name: string;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) });
const slashed = z.object({ "d/e": z.lazy(() => z.array(slashed)) }) as z.ZodType;
const chain: z.ZodType<unknown> = z.tuple([z.string(), z.object({ next: z.lazy(() => chain.nullable()) })]);

export default defineWebhookSource({
  slug: "everything",
  endpoint: "everything",
  request: z.object({
    text: z.string().min(1).max(10).describe("A short text"),
    trimmed: z.string().trim().min(1).email(),
    lowered: z.string().min(2).toLowerCase().regex(/^[a-z]+$/),
    flags: z.string().regex(/^ab$/i),
    email: z.string().email(),
    integer: z.number().int().min(3),
    choice: z.enum(["a", "b"]),
    array: z.array(z.string()).nonempty(),
    tuple: z.tuple([z.string(), z.number()]),
    tupleRest: z.tuple([z.object({ items: z.string() })]).rest(z.boolean()),
    record: z.record(z.number()),
    union: z.union([z.string(), z.number(), z.object({ a: z.literal(1) })]),
    discriminated: z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b"), n: z.number() })]),
    both: z.object({ a: z.string() }).and(z.object({ b: z.string() })),
    strict: z.object({ a: z.string() }).strict(),
    loose: z.object({ a: z.string() }).passthrough(),
    items: z.object({ items: z.array(z.string()), enum: z.string(), default: z.string() }),
    optional: z.string().optional(),
    nullable: z.string().nullable(),
    defaulted: z.array(z.string()).default([]),
    readonly: z.array(z.string()).readonly(),
    branded: z.string().brand("Id"),
    any: z.any(),
    tree: tree,
    "a/b~c 100%": z.object({ x: slashed }),
    again: z.object({ x: slashed }),
    chain: chain,
  }),
}).attach({ workflow: work });
