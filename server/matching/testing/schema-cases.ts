import * as fc from "fast-check";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { Json } from "../../contract/json.ts";

/** A schema of either Zod version, and values that mostly match it. */
export interface SchemaCase {
  four: z.ZodType;
  three: z3.ZodTypeAny;
  values: fc.Arbitrary<Json>;
}

/** A schema without others inside. */
export const leaf = (four: z.ZodType, three: z3.ZodTypeAny, values: fc.Arbitrary<Json>): SchemaCase => ({
  four,
  three,
  values,
});
const texts = fc.constantFrom("", "a", "ab", "abc", "abcd", " ab ", "é", "ord_1", "x!", "https://a.b", "a@b.co");
const numbers = fc.constantFrom(0, 1, -1, 1.5, 5, 10, 0.3, 0.1, 1e21, 2 ** 53, -(2 ** 53) - 2);

/** Schemas whose export is exact: it accepts the same values. */
export const exactLeaves: readonly SchemaCase[] = [
  leaf(z.string(), z3.string(), texts),
  leaf(z.string().min(2).max(3), z3.string().min(2).max(3), texts),
  // Zod 4 counts characters, as JSON Schema does; Zod 3 does not.
  leaf(z.string().min(2).max(3), z3.string(), fc.constantFrom("👍", "👍👍", "👍👍👍", "👍👍👍👍")),
  leaf(z.string().trim().min(1), z3.string().trim().min(1), fc.constantFrom("a", " a ")),
  leaf(z.string().startsWith("ord_").endsWith("1"), z3.string().startsWith("ord_").endsWith("1"), texts),
  leaf(z.string().regex(/^[a-c]+$/), z3.string().regex(/^[a-c]+$/), texts),
  leaf(z.url(), z3.string().url(), texts),
  leaf(z.email(), z3.string(), texts),
  leaf(z.number(), z3.number(), numbers),
  leaf(z.number().min(0).lt(10), z3.number().min(0).lt(10), numbers),
  leaf(z.number().multipleOf(0.1), z3.number(), numbers),
  leaf(z.int(), z3.number(), numbers),
  leaf(z.boolean(), z3.boolean(), fc.boolean()),
  leaf(z.null(), z3.null(), fc.constant(null)),
  leaf(z.literal("a"), z3.literal("a"), fc.constant("a")),
  leaf(
    z.literal(["a", 1, null]),
    z3.union([z3.literal("a"), z3.literal(1), z3.null()]),
    fc.constantFrom<Json>("a", 1, null),
  ),
  leaf(z.enum(["a", "b", "c"]), z3.enum(["a", "b", "c"]), fc.constantFrom("a", "b", "c")),
  leaf(z.unknown(), z3.unknown(), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>),
  leaf(z.json(), z3.unknown(), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>),
];

const names = fc.constantFrom("a", "b", "type", "c/d~e", "ab", "");
const arrayOf = (item: SchemaCase): SchemaCase => ({
  four: z.array(item.four).min(1).max(3),
  three: z3.array(item.three).min(1).max(3),
  values: fc.array(item.values, { maxLength: 4 }),
});
const recordOf = (item: SchemaCase): SchemaCase => ({
  four: z.record(z.string(), item.four),
  three: z3.record(item.three),
  values: fc.dictionary(names, item.values, { maxKeys: 3, noNullPrototype: true }),
});
const keyedOf = (item: SchemaCase): SchemaCase => ({
  four: z.partialRecord(z.enum(["a", "b"]), item.four),
  three: z3.record(z3.enum(["a", "b"]), item.three),
  values: fc.dictionary(names, item.values, { maxKeys: 2, noNullPrototype: true }),
});
const defaulted = (item: SchemaCase): SchemaCase => ({
  four: item.four.default("x" as never),
  three: item.three.default("x"),
  values: item.values,
});
const optional = (item: SchemaCase): SchemaCase => ({
  four: item.four.optional(),
  three: item.three.optional(),
  values: item.values,
});
const nullable = (item: SchemaCase): SchemaCase => ({
  four: item.four.nullable(),
  three: item.three.nullable(),
  values: fc.oneof(item.values, fc.constant(null)),
});
const both = (first: SchemaCase, second: SchemaCase): SchemaCase => ({
  four: z.object({ a: first.four }).and(z.object({ b: second.four })),
  three: z3.object({ a: first.three }).and(z3.object({ b: second.three })),
  values: fc.record({ a: first.values, b: second.values }, { noNullPrototype: true, requiredKeys: [] }),
});
const unionOf = (items: SchemaCase[]): SchemaCase => ({
  four: z.union(items.map(({ four }) => four)),
  three: z3.union(items.map(({ three }) => three) as never),
  values: fc.oneof(...items.map(({ values }) => values)),
});
const tupleOf = (items: SchemaCase[], rest: SchemaCase | null): SchemaCase => ({
  four: rest
    ? z.tuple(items.map(({ four }) => four) as never, rest.four as never)
    : z.tuple(items.map(({ four }) => four) as never),
  three: rest
    ? z3.tuple(items.map(({ three }) => three) as never).rest(rest.three)
    : z3.tuple(items.map(({ three }) => three) as never),
  values: fc.tuple(...items.map(({ values }) => values), ...(rest ? [rest.values] : [])).map((list) => list as Json),
});
const objectOf = (shape: Record<string, SchemaCase>, mode: "plain" | "strict" | "loose"): SchemaCase => {
  const four = Object.fromEntries(Object.entries(shape).map(([name, item]) => [name, item.four]));
  const three = Object.fromEntries(Object.entries(shape).map(([name, item]) => [name, item.three]));
  return {
    four: { plain: z.object, strict: z.strictObject, loose: z.looseObject }[mode](four),
    three:
      mode === "strict"
        ? z3.object(three).strict()
        : mode === "loose"
          ? z3.object(three).passthrough()
          : z3.object(three),
    values: fc.record(
      {
        ...Object.fromEntries(Object.entries(shape).map(([name, item]) => [name, item.values])),
        more: fc.constant<Json>(1),
      },
      { noNullPrototype: true, requiredKeys: Object.keys(shape).slice(1) as never },
    ) as fc.Arbitrary<Json>,
  };
};
const taggedOf = (shapes: Record<string, SchemaCase>[]): SchemaCase => {
  const tagged = shapes.map((shape, index) => ({
    shape: { ...shape, kind: leaf(z.literal(`k${index}`), z3.literal(`k${index}`), fc.constant(`k${index}`)) },
  }));
  const objects = tagged.map(({ shape }) => objectOf(shape, "plain"));
  return {
    four: z.discriminatedUnion("kind", objects.map(({ four }) => four) as never),
    three: z3.discriminatedUnion("kind", objects.map(({ three }) => three) as never),
    values: fc.oneof(...objects.map(({ values }) => values)),
  };
};

/** Schemas of both versions of Zod, built from these leaves. */
export const schemaCases = (leaves: readonly SchemaCase[]): fc.Arbitrary<SchemaCase> =>
  fc.letrec<{ one: SchemaCase }>((tie) => {
    const shape = fc.dictionary(names, tie("one"), { maxKeys: 4, noNullPrototype: true });
    return {
      one: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom(...leaves),
        fc
          .tuple(shape, fc.constantFrom("plain" as const, "strict" as const, "loose" as const))
          .map(([of, mode]) => objectOf(of, mode)),
        tie("one").map(arrayOf),
        tie("one").map(recordOf),
        tie("one").map(keyedOf),
        tie("one").map(defaulted),
        tie("one").map(optional),
        tie("one").map(nullable),
        fc.tuple(tie("one"), tie("one")).map(([first, second]) => both(first, second)),
        fc.array(tie("one"), { minLength: 2, maxLength: 3 }).map(unionOf),
        fc
          .tuple(fc.array(tie("one"), { minLength: 1, maxLength: 2 }), fc.option(tie("one")))
          .map(([items, rest]) => tupleOf(items, rest)),
        fc.array(shape, { minLength: 2, maxLength: 3 }).map(taggedOf),
      ),
    };
  }).one;

/** A schema, and a value that may match it. */
export const withValues = (cases: fc.Arbitrary<SchemaCase>): fc.Arbitrary<{ one: SchemaCase; value: Json }> =>
  cases
    .chain((one) =>
      fc.record({
        one: fc.constant(one),
        value: fc.oneof(
          { arbitrary: one.values, weight: 4 },
          { arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>, weight: 1 },
        ),
      }),
    )
    .map((both) => Object.assign(both, { [fc.toStringMethod]: () => JSON.stringify(both.value) }));
