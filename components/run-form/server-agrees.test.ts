import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { exportSchema } from "../../cli/build/schema/export.ts";
import type { Json } from "../../server/contract/json.ts";
import { parseBody } from "../../server/matching/match-triggers.ts";
import type { AnySchema } from "../../server/ports/project.ts";
import { adaptSchema } from "./schema/adapt-schema.ts";
import { checkDraft } from "./check/check-draft.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, withoutChoice } from "./draft/draft.ts";
import { parseDraft, printDraft } from "./draft/draft-text.ts";
import { emptyDraft, shownOption, switchNull, switchOption } from "./draft/new-draft.ts";

/** A schema of either Zod version, and values that mostly match it. */
interface Case {
  four: z.ZodType;
  three: z3.ZodTypeAny;
  values: fc.Arbitrary<Json>;
}

const leaf = (four: z.ZodType, three: z3.ZodTypeAny, values: fc.Arbitrary<Json>): Case => ({ four, three, values });
const texts = fc.constantFrom("", "a", "ab", "abc", "abcd", " ab ", "é", "ord_1", "x!", "https://a.b", "a@b.co");
const numbers = fc.constantFrom(0, 1, -1, 1.5, 5, 10, 0.3, 0.1, 1e21, 2 ** 53, -(2 ** 53) - 2);

const leaves = fc.constantFrom<Case>(
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
);

const names = fc.constantFrom("a", "b", "type", "c/d~e", "ab", "");
const arrayOf = (item: Case): Case => ({
  four: z.array(item.four).min(1).max(3),
  three: z3.array(item.three).min(1).max(3),
  values: fc.array(item.values, { maxLength: 4 }),
});
const recordOf = (item: Case): Case => ({
  four: z.record(z.string(), item.four),
  three: z3.record(item.three),
  values: fc.dictionary(names, item.values, { maxKeys: 3, noNullPrototype: true }),
});
const keyedOf = (item: Case): Case => ({
  four: z.partialRecord(z.enum(["a", "b"]), item.four),
  three: z3.record(z3.enum(["a", "b"]), item.three),
  values: fc.dictionary(names, item.values, { maxKeys: 2, noNullPrototype: true }),
});
const defaulted = (item: Case): Case => ({
  four: item.four.default("x" as never),
  three: item.three.default("x"),
  values: item.values,
});
const optional = (item: Case): Case => ({
  four: item.four.optional(),
  three: item.three.optional(),
  values: item.values,
});
const nullable = (item: Case): Case => ({
  four: item.four.nullable(),
  three: item.three.nullable(),
  values: fc.oneof(item.values, fc.constant(null)),
});
const both = (first: Case, second: Case): Case => ({
  four: z.object({ a: first.four }).and(z.object({ b: second.four })),
  three: z3.object({ a: first.three }).and(z3.object({ b: second.three })),
  values: fc.record({ a: first.values, b: second.values }, { noNullPrototype: true, requiredKeys: [] }),
});
const unionOf = (items: Case[]): Case => ({
  four: z.union(items.map(({ four }) => four)),
  three: z3.union(items.map(({ three }) => three) as never),
  values: fc.oneof(...items.map(({ values }) => values)),
});
const tupleOf = (items: Case[], rest: Case | null): Case => ({
  four: rest
    ? z.tuple(items.map(({ four }) => four) as never, rest.four as never)
    : z.tuple(items.map(({ four }) => four) as never),
  three: rest
    ? z3.tuple(items.map(({ three }) => three) as never).rest(rest.three)
    : z3.tuple(items.map(({ three }) => three) as never),
  values: fc.tuple(...items.map(({ values }) => values), ...(rest ? [rest.values] : [])).map((list) => list as Json),
});
const objectOf = (shape: Record<string, Case>, mode: "plain" | "strict" | "loose"): Case => {
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
const taggedOf = (shapes: Record<string, Case>[]): Case => {
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

const cases: fc.Arbitrary<Case> = fc.letrec<{ one: Case }>((tie) => {
  const shape = fc.dictionary(names, tie("one"), { maxKeys: 4, noNullPrototype: true });
  return {
    one: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaves,
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

const numRuns = 600;
const withValue = cases
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

/** The messages of the form and the server where they differ. */
function disagreement(schema: z.ZodType | z3.ZodTypeAny, value: Json): string | null {
  const exported = exportSchema(schema);
  const issues = checkDraft(exported, exported, draftOfJson(value));
  const says = schema.safeParse(structuredClone(value));
  return (issues.length === 0) === says.success
    ? null
    : `${JSON.stringify(value)} by ${JSON.stringify(exported)}: ${JSON.stringify(issues)} but ${JSON.stringify(says.error?.issues)}`;
}

describe("every schema and value", () => {
  test("the form accepts what Zod 4 accepts, and nothing else", () => {
    fc.assert(
      fc.property(withValue, ({ one, value }) => {
        expect(disagreement(one.four, value)).toBeNull();
      }),
      { numRuns },
    );
  });

  test("the form reports a failed union against the alternative that the server names, of either Zod", () => {
    const fields = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.constantFrom<"text" | "number">("text", "number"),
      { minKeys: 1, maxKeys: 3, noNullPrototype: true },
    );
    const alternatives = fc.array(fc.tuple(fields, fc.option(fc.constantFrom("x", "y", "z"))), {
      minLength: 2,
      maxLength: 4,
    });
    const values = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d", "type"),
      fc.constantFrom<Json>("x", "y", 1, true),
      { maxKeys: 4, noNullPrototype: true },
    );
    fc.assert(
      fc.property(alternatives, values, (options, value) => {
        for (const zod of [z, z3 as unknown as typeof z]) {
          const kinds = { text: zod.string(), number: zod.number() };
          const objects = options.map(([of, tag]) =>
            zod.object({
              ...Object.fromEntries(Object.entries(of).map(([name, kind]) => [name, kinds[kind]])),
              ...(tag === null ? {} : { type: zod.literal(tag) }),
            }),
          );
          const schema = zod.union(objects as unknown as [z.ZodType, z.ZodType]);
          const exported = exportSchema(schema);
          const opinion = parseBody(schema as unknown as AnySchema, value);
          const said = opinion.success ? [] : opinion.reasons.map(({ pointer }) => pointer);
          expect(
            checkDraft(exported, exported, draftOfJson(value))
              .map(({ pointer }) => pointer)
              .toSorted(),
          ).toEqual(said.toSorted());
        }
      }),
      { numRuns },
    );
  });

  test("form and JSON lose nothing, through every switch of a union and back", () => {
    fc.assert(
      fc.property(withValue, fc.nat(), ({ one, value }, pick) => {
        const schema = exportSchema(one.four);
        const draft = draftOfJson(value);
        expect(draftToJson(parseDraft(printDraft(draft)).draft ?? { is: "null" })).toEqual(value);
        const node = adaptSchema(schema, schema);
        expect(draftToJson(node.isNullable && value !== null ? backFromNull(draft, schema) : draft)).toEqual(value);
        const options = node.kind === "union" && value !== null ? node.options : [];
        const from = shownOption(options, draft, schema);
        const to = options.length === 0 ? 0 : pick % options.length;
        const away = switchOption({ options, draft, to, root: schema });
        expect(shownOption(options, away, schema)).toBe(to);
        expect(withoutChoice(switchOption({ options, draft: away, to: from, root: schema }))).toEqual(draft);
      }),
      { numRuns },
    );
  });

  test("the issues of a chosen alternative are at its own paths", () => {
    const schema = exportSchema(
      z.object({ to: z.union([z.object({ a: z.string() }), z.object({ x: z.string(), y: z.string() })]) }),
    );
    const to = { ...draftOfJson({}), choice: { option: 1, kept: {} } };
    expect(checkDraft(schema, schema, draftOf.object([["to", to]])).map(({ pointer }) => pointer)).toEqual([
      "/to/x",
      "/to/y",
    ]);
  });

  test("an empty form shows the first alternative, even if its initial value looks like another one", () => {
    const schema = exportSchema(
      z.union([z.object({ type: z.record(z.string(), z.string()), a: z.string() }), z.strictObject({})]),
    );
    expect(checkDraft(schema, schema, emptyDraft(schema, schema) ?? { is: "null" })).toMatchObject([
      { pointer: "/a", code: "required" },
    ]);
  });

  test("an empty form has only issues that a person can fix", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const schema = exportSchema(one.four);
        const draft = emptyDraft(schema, schema);
        // `.default("x")` is also used on schemas that "x" does not match.
        fc.pre(draft !== undefined && !JSON.stringify(schema).includes('"default"'));
        const codes = checkDraft(schema, schema, draft ?? { is: "null" }).map(({ code }) => code);
        expect(
          codes.filter(
            (code) =>
              ![
                "required",
                "type",
                "minLength",
                "pattern",
                "format",
                "enum",
                "const",
                "union",
                "minItems",
                "exclusiveMinimum",
                "oneOf",
              ].includes(code),
          ),
        ).toEqual([]);
      }),
      { numRuns },
    );
  });
});

describe("every schema of Zod 3 and every value", () => {
  test("the form accepts what Zod 3 accepts", () => {
    fc.assert(
      fc.property(withValue, ({ one, value }) => {
        expect(disagreement(one.three, value)).toBeNull();
      }),
      { numRuns },
    );
  });
});

function backFromNull(draft: Draft, schema: ReturnType<typeof exportSchema>): Draft {
  return switchNull({
    schema,
    draft: switchNull({ schema, draft, isNull: true, root: schema }),
    isNull: false,
    root: schema,
  });
}
