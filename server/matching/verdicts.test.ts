import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { Json } from "../contract/json.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { evaluateTriggers } from "./match-triggers.ts";

const trigger = (
  slug: string,
  request: z.ZodType | z3.ZodTypeAny,
  filter: z.ZodType | z3.ZodTypeAny | null = null,
): TriggerSource => ({
  slug,
  endpoint: "shared",
  attachmentId: `${slug}:target`,
  target: { kind: "workflow", slug: "target" },
  request: request as unknown as AnySchema,
  filter: filter as unknown as AnySchema | null,
});

const explain = (schema: z.ZodType | z3.ZodTypeAny, body: Json) =>
  evaluateTriggers([trigger("only", schema)], body)[0]?.verdict.reasons;

describe("evaluateTriggers", () => {
  test("says request_mismatch, filter_mismatch or matched, and hands on what request made of the body", () => {
    const request = z.object({ name: z.string().trim(), amount: z.number().default(1) });
    const filter = z.object({ name: z.string().startsWith(" ") });
    expect(evaluateTriggers([trigger("a", request, filter)], { name: " Ada ", more: true })).toEqual([
      {
        verdict: {
          trigger: "a",
          attachmentId: "a:target",
          target: { kind: "workflow", slug: "target" },
          outcome: "matched",
          runId: null,
          reasons: [],
        },
        payload: { name: "Ada", amount: 1 },
      },
    ]);
    expect(evaluateTriggers([trigger("a", request, filter)], { name: "Ada" })).toMatchObject([
      { verdict: { outcome: "filter_mismatch", reasons: [{ pointer: "/name" }] }, payload: null },
    ]);
    expect(evaluateTriggers([trigger("a", request, filter)], { name: 1 })).toMatchObject([
      { verdict: { outcome: "request_mismatch" }, payload: null },
    ]);
  });

  test("asks every trigger, also after one whose schema throws or is asynchronous", () => {
    const throwing = z.any().superRefine(() => {
      throw new Error("no such table");
    });
    const asynchronous = z.any().refine(async () => true);
    const verdicts = evaluateTriggers(
      [trigger("a", throwing), trigger("b", z.any(), throwing), trigger("c", asynchronous), trigger("d", z.any())],
      {},
    );
    expect(verdicts.map(({ verdict }) => [verdict.outcome, verdict.reasons[0]?.code])).toEqual([
      ["request_mismatch", "schema_error"],
      ["filter_mismatch", "schema_error"],
      ["request_mismatch", "schema_error"],
      ["matched", undefined],
    ]);
    expect(verdicts[0]?.verdict.reasons[0]?.message).toContain("no such table");
  });

  test("passes on only JSON: without undefined, regardless of what a schema adds", () => {
    const schema = z.object({
      kept: z.string(),
      gone: z
        .string()
        .optional()
        .transform(() => undefined),
      big: z.string().transform(BigInt),
      at: z.string().transform((text) => new Date(text)),
    });
    const [evaluation] = evaluateTriggers([trigger("a", schema)], {
      kept: "x",
      gone: "y",
      big: "12",
      at: "2026-01-01T00:00:00Z",
    });
    expect(evaluation?.payload).toStrictEqual({ kept: "x", big: "12", at: "2026-01-01T00:00:00.000Z" });
  });

  test("never changes a prototype, regardless of the keys of a body", () => {
    const body = JSON.parse(
      `{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"a":{"__proto__":{"isAdmin":true}}}`,
    ) as Json;
    const schemas = [
      z.looseObject({}),
      z.record(z.string(), z.any()),
      z.any(),
      z.json(),
      z3.z.object({}).passthrough(),
      z3.z.record(z3.z.any()),
    ];
    for (const { verdict, payload } of evaluateTriggers(
      schemas.map((schema, index) => trigger(`t${index}`, schema)),
      body,
    )) {
      expect(verdict.outcome).toBe("matched");
      expect((payload as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

describe("reasons", () => {
  const cases: [
    string,
    z.ZodType | z3.ZodTypeAny,
    Json,
    { pointer: string; expected: string | null; actual: string | null }[],
  ][] = [
    [
      "a number that is too small",
      z.object({ amount: z.number().min(10000) }),
      { amount: 5 },
      [{ pointer: "/amount", expected: "≥ 10000", actual: "5" }],
    ],
    [
      "the same in Zod 3",
      z3.z.object({ amount: z3.z.number().min(10000) }),
      { amount: 5 },
      [{ pointer: "/amount", expected: "≥ 10000", actual: "5" }],
    ],
    [
      "an exclusive bound",
      z.object({ amount: z.number().lt(3) }),
      { amount: 3 },
      [{ pointer: "/amount", expected: "< 3", actual: "3" }],
    ],
    [
      "an enum",
      z.object({ currency: z.enum(["eur", "usd"]) }),
      { currency: "gbp" },
      [{ pointer: "/currency", expected: "one of eur, usd", actual: '"gbp"' }],
    ],
    [
      "an enum in Zod 3",
      z3.z.object({ currency: z3.z.enum(["eur", "usd"]) }),
      { currency: "gbp" },
      [{ pointer: "/currency", expected: "one of eur, usd", actual: '"gbp"' }],
    ],
    [
      "a missing enum in Zod 3",
      z3.z.object({ currency: z3.z.enum(["eur", "usd"]) }),
      {},
      [{ pointer: "/currency", expected: "one of eur, usd", actual: null }],
    ],
    [
      "a literal",
      z.object({ type: z.literal("invoice.paid") }),
      { type: "x" },
      [{ pointer: "/type", expected: '"invoice.paid"', actual: '"x"' }],
    ],
    [
      "a literal in Zod 3",
      z3.z.object({ type: z3.z.literal("invoice.paid") }),
      { type: "x" },
      [{ pointer: "/type", expected: '"invoice.paid"', actual: '"x"' }],
    ],
    [
      "a missing email address",
      z.object({ email: z.email() }),
      {},
      [{ pointer: "/email", expected: "a string", actual: null }],
    ],
    [
      "a bad email address",
      z.object({ email: z.email() }),
      { email: "ada" },
      [{ pointer: "/email", expected: "an email address", actual: '"ada"' }],
    ],
    [
      "a bad email address in Zod 3",
      z3.z.object({ email: z3.z.string().email() }),
      { email: "ada" },
      [{ pointer: "/email", expected: "an email address", actual: '"ada"' }],
    ],
    [
      "an empty text",
      z.object({ name: z.string().trim().min(1) }),
      { name: "  " },
      [{ pointer: "/name", expected: "at least 1 character", actual: '"  "' }],
    ],
    [
      "a list that is too long",
      z.object({ tags: z.array(z.string()).max(2) }),
      { tags: ["a", "b", "c"] },
      [{ pointer: "/tags", expected: "at most 2 items", actual: '["a", "b", "c"]' }],
    ],
    [
      "a text of another length",
      z.string().length(2),
      "abc",
      [{ pointer: "", expected: "exactly 2 characters", actual: '"abc"' }],
    ],
    [
      "a text of another length in Zod 3",
      z3.z.string().length(2),
      "abc",
      [{ pointer: "", expected: "exactly 2 characters", actual: '"abc"' }],
    ],
    [
      "the wrong end",
      z.string().endsWith("@example.com"),
      "ada@x",
      [{ pointer: "", expected: 'a string that ends with "@example.com"', actual: '"ada@x"' }],
    ],
    [
      "the wrong end in Zod 3",
      z3.z.string().endsWith("@example.com"),
      "ada@x",
      [{ pointer: "", expected: 'a string that ends with "@example.com"', actual: '"ada@x"' }],
    ],
    [
      "a pattern",
      z.string().regex(/^a+$/),
      "b",
      [{ pointer: "", expected: "a string that matches /^a+$/", actual: '"b"' }],
    ],
    ["a fraction", z.int(), 1.5, [{ pointer: "", expected: "an integer", actual: "1.5" }]],
    ["a multiple", z.number().multipleOf(5), 7, [{ pointer: "", expected: "a multiple of 5", actual: "7" }]],
    [
      "null where a text belongs",
      z.object({ a: z.string() }),
      { a: null },
      [{ pointer: "/a", expected: "a string", actual: "null" }],
    ],
    [
      "keys that need escapes",
      z.object({ "a/b": z.object({ "c~d": z.array(z.string()) }) }),
      { "a/b": { "c~d": ["x", 1] } },
      [{ pointer: "/a~1b/c~0d/1", expected: "a string", actual: "1" }],
    ],
    [
      "keys that a strict object does not know",
      z.strictObject({ a: z.string() }),
      { a: "x", b: 1 },
      [{ pointer: "", expected: "only keys that the schema names", actual: '["b"]' }],
    ],
    [
      "a key that does not fit",
      z.record(z.string().min(2), z.any()),
      { a: 1 },
      [{ pointer: "/a", expected: "a key that is at least 2 characters", actual: '"a"' }],
    ],
    [
      "a union of kinds",
      z.union([z.string(), z.number()]),
      true,
      [{ pointer: "", expected: "a string or a number", actual: "true" }],
    ],
    [
      "a union of kinds in Zod 3",
      z3.z.union([z3.z.string(), z3.z.number()]),
      true,
      [{ pointer: "", expected: "a string or a number", actual: "true" }],
    ],
    [
      "a union of literals",
      z.object({ a: z.union([z.literal("x"), z.literal("y")]) }),
      { a: "z" },
      [{ pointer: "/a", expected: "one of x, y", actual: '"z"' }],
    ],
    [
      "the alternative whose fixed value is right",
      z.object({
        event: z.union([
          z.object({ type: z.literal("a"), one: z.string() }),
          z.object({ type: z.literal("b"), two: z.string(), three: z.string() }),
        ]),
      }),
      { event: { type: "b" } },
      [
        { pointer: "/event/two", expected: "a string", actual: null },
        { pointer: "/event/three", expected: "a string", actual: null },
      ],
    ],
    [
      "the same in Zod 3",
      z3.z.object({
        event: z3.z.union([
          z3.z.object({ type: z3.z.literal("a") }),
          z3.z.object({ type: z3.z.literal("b"), two: z3.z.string() }),
        ]),
      }),
      { event: { type: "b" } },
      [{ pointer: "/event/two", expected: "a string", actual: null }],
    ],
    [
      "the alternative of the right kind",
      z.union([z.string(), z.object({ a: z.number(), b: z.number() })]),
      { a: 1 },
      [{ pointer: "/b", expected: "a number", actual: null }],
    ],
    [
      "the discriminated alternative",
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), n: z.number() }),
        z.object({ type: z.literal("b") }),
      ]),
      { type: "a", n: "1" },
      [{ pointer: "/n", expected: "a number", actual: '"1"' }],
    ],
    [
      "an unknown discriminator",
      z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })]),
      { type: "c" },
      [{ pointer: "/type", expected: "one of a, b", actual: '"c"' }],
    ],
    [
      "an unknown discriminator in Zod 3",
      z3.z.discriminatedUnion("type", [
        z3.z.object({ type: z3.z.literal("a") }),
        z3.z.object({ type: z3.z.literal("b") }),
      ]),
      { type: "c" },
      [{ pointer: "/type", expected: "one of a, b", actual: '"c"' }],
    ],
    [
      "a union in a union",
      z.object({ a: z.union([z.null(), z.union([z.string(), z.object({ b: z.number() })])]) }),
      { a: { b: "x" } },
      [{ pointer: "/a/b", expected: "a number", actual: '"x"' }],
    ],
    [
      "a code of the user's own",
      z.string().refine(() => false, "never"),
      "a",
      [{ pointer: "", expected: null, actual: '"a"' }],
    ],
  ];

  test.each(cases)("explain %s", (_, schema, body, expected) => {
    expect(explain(schema, body)?.map(({ pointer, expected, actual }) => ({ pointer, expected, actual }))).toEqual(
      expected,
    );
  });

  test("bear Zod's own code and message", () => {
    expect(explain(z.object({ email: z.email() }), { email: "x" })).toMatchObject([
      { code: "invalid_format", message: "Invalid email address" },
    ]);
  });

  test("are at most twenty, and short, however large and wrong a body is", () => {
    const body = { list: Array.from({ length: 100_000 }, () => "x".repeat(10)), text: "y".repeat(1_000_000) };
    const reasons = explain(z.object({ list: z.array(z.number()), text: z.number() }), body) ?? [];
    expect(reasons).toHaveLength(20);
    const [whole] = explain(z.string(), body) ?? [];
    expect(whole?.actual?.length).toBeLessThanOrEqual(80);
    const [unknownKeys] = explain(z.strictObject({}), { [`k${"x".repeat(100_000)}`]: 1 }) ?? [];
    expect(JSON.stringify(unknownKeys).length).toBeLessThan(1000);
  });
});

const leaves = fc.constantFrom<z.ZodType>(
  z.string(),
  z.string().min(3),
  z.string().trim().min(1),
  z.email(),
  z.number(),
  z.int().min(0),
  z.boolean(),
  z.null(),
  z.literal("a"),
  z.enum(["a", "b", "c"]),
  z.any(),
  z.json(),
  z.string().default("a"),
  z.number().nullable(),
  z.string().optional(),
);
const keys = fc.constantFrom("a", "b", "c", "d/e", "~");
const schemas: fc.Arbitrary<z.ZodType> = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaves,
    fc.dictionary(keys, tie("schema"), { maxKeys: 4, noNullPrototype: true }).map((shape) => z.object(shape)),
    fc.dictionary(keys, tie("schema"), { maxKeys: 3, noNullPrototype: true }).map((shape) => z.strictObject(shape)),
    fc.dictionary(keys, tie("schema"), { maxKeys: 3, noNullPrototype: true }).map((shape) => z.looseObject(shape)),
    tie("schema").map((item) => z.array(item)),
    tie("schema").map((item) => z.record(z.string().max(1), item)),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((options) => z.union(options)),
    tie("schema").map((item) => z.tuple([item])),
  ),
})).schema;
const jsonLeaves = fc.oneof(
  fc.constantFrom<Json>("a", "b", "", "  x ", "ada@example.com", 0, 1, -1.5, true, null),
  fc.string(),
);
const bodies: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    jsonLeaves,
    fc.dictionary(keys, tie("json"), { maxKeys: 5, noNullPrototype: true }),
    fc.array(tie("json"), { maxLength: 3 }),
  ),
})).json;

describe("for every set of schemas and every body", () => {
  test("the verdicts are what Zod says of each schema alone, and say where the body did not hold", () => {
    const seen = { matched: 0, request_mismatch: 0, filter_mismatch: 0, disabled: 0 };
    fc.assert(
      fc.property(fc.array(fc.tuple(schemas, fc.option(schemas)), { maxLength: 6 }), bodies, (pairs, body) => {
        const copy = structuredClone(body);
        const evaluations = evaluateTriggers(
          pairs.map(([request, filter], index) => trigger(`t${index}`, request, filter)),
          body,
        );
        expect(body).toEqual(copy);
        expect(evaluations).toHaveLength(pairs.length);
        for (const [index, { verdict, payload }] of evaluations.entries()) {
          const [request, filter] = pairs[index] ?? [z.never(), null];
          const alone = request.safeParse(body);
          const outcome = !alone.success
            ? "request_mismatch"
            : filter && !filter.safeParse(body).success
              ? "filter_mismatch"
              : "matched";
          seen[outcome]++;
          expect(verdict).toMatchObject({ trigger: `t${index}`, outcome });
          expect(payload).toEqual(outcome === "matched" ? JSON.parse(JSON.stringify(alone.data ?? null)) : null);
          expect(verdict.reasons.length > 0).toBe(outcome !== "matched");
          for (const { pointer } of verdict.reasons) expect(pointer).toMatch(/^(\/([^/~]|~[01])*)*$/s);
        }
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.matched, seen.request_mismatch, seen.filter_mismatch)).toBeGreaterThan(50);
  });
});
