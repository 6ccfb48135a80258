import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { findFilterFaults } from "../../../server/shared/schema/check-filter.ts";
import { resolveRef } from "../../../server/shared/schema/json-schema.ts";
import { buildTriggerIndex } from "../../../server/matching/index/trigger-index.ts";
import { parseBody } from "../../../server/matching/match-triggers.ts";
import { toSchema, versions } from "../../../server/matching/testing/build-shape.ts";
import { bodiesNear, shapes } from "../../../server/matching/testing/shapes.ts";
import type { AnySchema } from "../../../server/ports/project.ts";
import { exportSchema } from "./export.ts";

/** Formats are annotations, and the validator reads fields that every object has, such as `toString`. */
const toValidator = (exported: JsonSchemaObject) =>
  new Validator(
    JSON.parse(JSON.stringify(exported, (keyword, value: unknown) => (keyword === "format" ? undefined : value))),
    "2020-12",
  );

const address = (country: string) =>
  z
    .object(Object.fromEntries([..."abcdefghijklmnopq"].map((name) => [name, z.literal(country + name)])))
    .meta({ id: "address" });

const large = (): z.ZodType =>
  z.object(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field${at}`, z.string().min(at)])));

const sizeOf = (count: number) =>
  JSON.stringify(
    exportSchema(
      z.discriminatedUnion(
        "type",
        Array.from({ length: count }, (_, at) =>
          z.object({ type: z.literal(`event${at}`), order: large(), customer: z.object({ home: large() }) }),
        ) as never,
      ),
    ),
  ).length;

describe("an exported schema accepts every body that Zod accepts", () => {
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== "object" || value === null) return value;
    return Object.assign(
      Object.create(null),
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bare(each)])),
    );
  };

  test("for every schema of every version, with pipes, changes, defaults, metadata and intersections", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        shapes.chain((shape) =>
          fc.tuple(fc.constant(shape), versions, fc.array(bodiesNear(shape), { minLength: 8, maxLength: 8 })),
        ),
        ([shape, version, bodies]) => {
          const schema = toSchema({ shape, version });
          const exported = exportSchema(schema);
          const validator = toValidator(exported);
          for (const body of bodies.filter((each) => parseBody(schema, each).success)) {
            accepted++;
            expect(validator.validate(bare(body)).valid, JSON.stringify([body, exported])).toBe(true);
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  const x = z.enum(["x"]);
  const x3 = z3.enum(["x"]);
  const recursive = z.object({
    name: z.string(),
    get next() {
      return recursive.optional();
    },
  });
  /** A reference inside of a pipe must point to this schema, not to the root. */
  const list = { name: "a", next: { name: "b", next: { name: "c" } } };
  const node = z.looseObject({
    mark: z.literal("x"),
    get child(): z.ZodType {
      return z.looseObject({}).pipe(node).optional();
    },
  });
  const nodes = { mark: "x", child: { mark: "x", child: { mark: "x" } } };
  test.each<[string, unknown, Json]>([
    ["a pipe behind toLowerCase", z.string().toLowerCase().pipe(x), "X"],
    [
      "a pipe behind toUpperCase",
      z
        .string()
        .toUpperCase()
        .pipe(z.enum(["X"])),
      "x",
    ],
    ["a pipe behind trim", z.string().trim().pipe(z.literal("x")), " x "],
    ["a pipe behind normalize", z.string().normalize("NFC").pipe(z.literal("\u00e9")), "e\u0301"],
    ["a pipe behind slugify", z.string().slugify().pipe(z.literal("a-b")), "A B"],
    ["a pipe behind a URL, which Zod trims", z.url().pipe(z.literal("https://a.b")), " https://a.b "],
    ["a check behind a URL, which Zod trims", z.url().startsWith("https://"), " https://a.b"],
    ["a check behind a normalized URL", z.url({ normalize: true }).endsWith("/"), "https://a.b"],
    ["a pipe behind a default", z.object({ a: z.string().default("x").pipe(x) }), {}],
    ["a pipe of an object with a default", z.looseObject({ a: x.default("x") }).pipe(z.looseObject({ a: x })), {}],
    ["a pipe behind a prefault", z.object({ a: z.string().prefault("x").pipe(x) }), {}],
    ["a pipe into an optional", z.object({ a: z.string().optional().pipe(x.optional()) }), {}],
    ["a pipe of an object without other fields", z.object({ a: x }).pipe(z.strictObject({ a: x })), { a: "x", b: 1 }],
    ["a pipe that drops a field", z.pipe(z.object({}), z.object({ a: x.optional() }) as never), { a: "other" }],
    [
      "a pipe in a pipe",
      z
        .string()
        .trim()
        .pipe(z.string().pipe(z.literal("x"))),
      " x",
    ],
    ["a change in a union", z.union([z.string().trim(), z.number()]).pipe(z.literal("x")), " x"],
    ["a change in items", z.array(z.string().trim()).pipe(z.array(z.literal("x"))), [" x"]],
    ["a change of keys", z.record(z.string().trim(), z.int()).pipe(z.record(z.enum(["x"]), z.int())), { " x": 1 }],
    ["a change by a check of mini", mini.pipe(mini.string().check(mini.toLowerCase()), mini.literal("x")), "X"],
    ["a pipe of Zod 3 behind trim", z3.string().trim().pipe(x3), " x "],
    ["a pipe of Zod 3 behind a default", z3.object({ a: z3.string().default("x").pipe(x3) }), {}],
    ["keys of Zod 3 that are trimmed", z3.record(z3.string().trim().max(1), z3.number()), { " x ": 1 }],
    ["a word with W, of Zod 3", z3.string().startsWith("Wörld"), "Wörld wide"],
    ["a lower-case ULID of Zod 3", z3.string().ulid(), "01kga4b7s0e1x8z3qk5v9m2t6n"],
    ["a position behind a line break", z.string().includes("x", { position: 2 }), "a\nx"],
    ["half a character", z.string().startsWith("\ud83d"), "\ud83d\ude00"],
    ["strict sides of an intersection", z.strictObject({ a: x }).and(z.strictObject({ b: x })), { a: "x", b: "x" }],
    ["a record beside an object", z.record(z.enum(["a"]), x).and(z.object({ b: z.int() })), { a: "x", b: 1 }],
    ["a pattern of keys beside an object", z.record(z.string().regex(/^a/), x).and(z.object({ b: x })), { b: "x" }],
    ["several strict alternatives", z.xor([z.string().trim(), z.string().trim().min(9)]), "x"],
    ["keys that a loose record ignores", z.looseRecord(z.enum(["a"]), z.int()), { a: 1, b: "x" }],
    ["keys of numbers", z.record(z.int(), x), { "1": "x" }],
    ["a recursive schema in a pipe", z.object({ list: z.looseObject({}).pipe(recursive) }), { list }],
    ["a recursive schema behind a function", z.object({ list: z.preprocess((value) => value, recursive) }), { list }],
    ["a recursive schema in its pipe", z.looseObject({}).pipe(recursive), list],
    ["a pipe into the schema around it", z.object({ node, mark: z.literal("y") }), { mark: "y", node: nodes }],
    ["a field that Zod never reads", z.object({ ["__proto__"]: x }), JSON.parse('{"__proto__": 1}')],
    ["a field that every object has", z.object({ toString: z.any() }), {}],
    ["a number beyond JSON", z.union([z.literal([Infinity, 1]), z.null()]), Infinity],
    ["a bound beyond JSON", z.number().max(Infinity), 1],
  ])("with %s", (_, schema, body) => {
    const parsed = parseBody(schema as AnySchema, body);
    expect(parsed).toMatchObject({ success: true });
    const exported = exportSchema(schema);
    expect(toValidator(exported).validate(bare(body)).valid, JSON.stringify(exported)).toBe(true);
    expect(buildTriggerIndex([{ request: exported, filter: null }]).candidates(body)).toEqual([0]);
    expect(findFilterFaults(exported, exported)).toEqual([]);
  });
});

const allKeywords = `
  $id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions type const
  enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems
  minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired allOf
  anyOf oneOf not if then else dependentSchemas prefixItems items additionalItems contains properties
  patternProperties additionalProperties propertyNames unevaluatedItems unevaluatedProperties format
  contentEncoding contentMediaType contentSchema default readOnly writeOnly nullable discriminator
  dependencies x-signalbox-sensitive __proto__
`
  .trim()
  .split(/\s+/);

describe("metadata", () => {
  const constraints = fc.dictionary(fc.constantFrom(...allKeywords), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    noNullPrototype: true,
  });

  test("constrains nothing, whichever keywords of JSON Schema it has", () => {
    fc.assert(
      fc.property(
        constraints,
        fc.constantFrom(z.string(), z.object({ a: z.int() }), z.union([z.int(), z.null()])),
        (meta, schema) => {
          expect(exportSchema(schema.meta(meta))).toEqual(exportSchema(schema));
          expect(exportSchema(z.object({ a: schema.meta(meta).optional() }))).toEqual(
            exportSchema(z.object({ a: schema.optional() })),
          );
        },
      ),
    );
  });

  test("stays documentation: title, description, deprecation and the examples that match", () => {
    const about = { title: "Name", description: "Of the customer", deprecated: true };
    const four = z.string().meta({ ...about, examples: ["Ada", 3], minLength: 9 });
    const three = mini.string().register(mini.globalRegistry, { ...about, examples: ["Ada", 3] });
    for (const schema of [four, three])
      expect(exportSchema(schema)).toMatchObject({ type: "string", ...about, examples: ["Ada"] });
    expect(exportSchema(z.object({ a: four.optional() }))).toMatchObject({ properties: { a: about } });
    expect(exportSchema(four)).not.toHaveProperty("minLength");
    expect(exportSchema(z3.string().describe("Old").optional())).toMatchObject({ description: "Old" });
  });

  test("names a definition by its id, and two parts may have the same one", () => {
    const [at, de] = [address("at"), address("de")];
    const exported = exportSchema(z.object({ a: at, b: at, c: de, d: de }));
    expect(exported["$defs"]).toEqual({ address: expect.anything(), address2: expect.anything() });
    expect(exported["properties"]).toMatchObject({
      a: { $ref: "#/$defs/address" },
      b: { $ref: "#/$defs/address" },
      d: { $ref: "#/$defs/address2" },
    });
  });
});

describe("a schema that is used again", () => {
  test("is exported once, however many alternatives have it, and also if it is only equal", () => {
    expect(sizeOf(400) - sizeOf(200)).toBeLessThan(200 * 250);
  });

  test("is exported in full where that is shorter to read", () => {
    const id = z.uuid();
    expect(JSON.stringify(exportSchema(z.object({ a: id, b: id })))).not.toContain("$ref");
  });
});

describe("a reference", () => {
  interface Tree {
    [key: string]: Tree;
  }
  test.each([
    [
      "Zod 4",
      (key: string) => {
        const tree: z.ZodType = z.object({ [key]: z.lazy(() => tree.optional()) });
        return z.object({ [key]: z.object({ a: tree }) });
      },
    ],
    [
      "Zod 3",
      (key: string) => {
        const tree: z3.ZodTypeAny = z3.object({ [key]: z3.lazy(() => tree.optional()) });
        return z3.object({ [key]: z3.object({ a: tree }) });
      },
    ],
  ])("of %s points to its schema, with every name of a field", (_, nest) => {
    for (const key of ["a", "a/b", "a~1/%2f#?é👍", "", "constructor", "\ud800"]) {
      const exported = exportSchema(nest(key));
      const refs = [...JSON.stringify(exported).matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)];
      expect(refs.length).toBeGreaterThan(0);
      for (const [, ref] of refs)
        expect(
          Object.keys((resolveRef(String(JSON.parse(ref ?? "")), exported)?.["properties"] ?? {}) as Tree),
        ).toEqual([key]);
    }
  });
});
