import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "./export.ts";
import { lintSchema } from "./lint.ts";

/** The API that both versions of Zod share, with the same meaning in JSON Schema. */
interface Builder<S> {
  string(min: number, max: number): S;
  pattern(regex: RegExp): S;
  trimmed(min: number): S;
  number(min: number, max: number): S;
  integer(): S;
  boolean(): S;
  nothing(): S;
  literal(value: string | number | boolean): S;
  choice(values: [string, ...string[]]): S;
  any(): S;
  array(item: S, min: number): S;
  object(shape: Record<string, S>, mode: "plain" | "strict" | "loose"): S;
  catchall(shape: Record<string, S>, rest: S): S;
  record(value: S): S;
  tuple(items: [S, ...S[]], rest: S | null): S;
  union(options: [S, S, ...S[]]): S;
  tagged(options: Record<string, S>[]): S;
  both(left: Record<string, S>, right: Record<string, S>): S;
  optional(inner: S): S;
  nullable(inner: S): S;
  defaulted(inner: S): S;
}

const zod4: Builder<z.ZodType> = {
  string: (min, max) => z.string().min(min).max(max),
  pattern: (regex) => z.string().regex(regex),
  trimmed: (min) => z.string().trim().min(min).max(3).regex(/^a/),
  number: (min, max) => z.number().min(min).max(max),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  nothing: () => z.null(),
  literal: (value) => z.literal(value),
  choice: (values) => z.enum(values),
  any: () => z.unknown(),
  array: (item, min) => z.array(item).min(min),
  object: (shape, mode) => ({ plain: z.object, strict: z.strictObject, loose: z.looseObject })[mode](shape),
  catchall: (shape, rest) => z.object(shape).catchall(rest),
  record: (value) => z.record(z.string(), value),
  tuple: (items, rest) => (rest ? z.tuple(items, rest) : z.tuple(items)),
  union: (options) => z.union(options),
  tagged: (options) =>
    z.discriminatedUnion(
      "tag",
      options.map((shape, index) => z.object({ ...shape, tag: z.literal(`t${index}`) })) as never,
    ),
  both: (left, right) => z.object(left).and(z.object(right)),
  optional: (inner) => inner.optional(),
  nullable: (inner) => inner.nullable(),
  defaulted: (inner) => inner.default("x" as never),
};

const zod3: Builder<z3.ZodTypeAny> = {
  string: (min, max) => z3.string().min(min).max(max),
  pattern: (regex) => z3.string().regex(regex),
  trimmed: (min) => z3.string().trim().min(min).max(3).regex(/^a/),
  number: (min, max) => z3.number().min(min).max(max),
  integer: () => z3.number().int(),
  boolean: () => z3.boolean(),
  nothing: () => z3.null(),
  literal: (value) => z3.literal(value),
  choice: (values) => z3.enum(values),
  any: () => z3.unknown(),
  array: (item, min) => z3.array(item).min(min),
  object: (shape, mode) =>
    mode === "strict"
      ? z3.object(shape).strict()
      : mode === "loose"
        ? z3.object(shape).passthrough()
        : z3.object(shape),
  catchall: (shape, rest) => z3.object(shape).catchall(rest),
  record: (value) => z3.record(value),
  tuple: (items, rest) => (rest ? z3.tuple(items).rest(rest) : z3.tuple(items)),
  union: (options) => z3.union(options),
  tagged: (options) =>
    z3.discriminatedUnion(
      "tag",
      options.map((shape, index) => z3.object({ ...shape, tag: z3.literal(`t${index}`) })) as never,
    ),
  both: (left, right) => z3.object(left).and(z3.object(right)),
  optional: (inner) => inner.optional(),
  nullable: (inner) => inner.nullable(),
  defaulted: (inner) => inner.default("x"),
};

const keys = ["a", "b", "items", "default"];

/** Schemas that are optional only in fields, because elsewhere a JSON value cannot be missing. */
function schemas<S>(zod: Builder<S>): fc.Arbitrary<S> {
  const { value } = fc.letrec<{ value: S; field: S; shape: Record<string, S> }>((tie) => ({
    field: fc.oneof(
      { weight: 3, arbitrary: tie("value") },
      tie("value").map((inner) => zod.optional(inner)),
      tie("value").map((inner) => zod.defaulted(inner)),
    ),
    shape: fc.dictionary(fc.constantFrom(...keys), tie("field"), { maxKeys: 3, noNullPrototype: true }),
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.tuple(fc.nat(2), fc.integer({ min: 2, max: 4 })).map(([min, max]) => zod.string(min, max)),
      fc.constantFrom(/^a+b?$/, /^ab$/i, /[0-9]/, /^é/u).map((regex) => zod.pattern(regex)),
      fc.nat(3).map((min) => zod.trimmed(min)),
      fc
        .tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 9 }))
        .map(([min, more]) => zod.number(min, min + more)),
      fc.constant(null).map(() => zod.integer()),
      fc.constant(null).map(() => zod.boolean()),
      fc.constant(null).map(() => zod.nothing()),
      fc.constantFrom<string | number | boolean>("a", "", 1, 0, true, false).map((literal) => zod.literal(literal)),
      fc.constant(null).map(() => zod.choice(["a", "b", "t0"])),
      fc.constant(null).map(() => zod.any()),
      fc.tuple(tie("value"), fc.nat(2)).map(([item, min]) => zod.array(item, min)),
      fc
        .tuple(tie("shape"), fc.constantFrom("plain" as const, "strict" as const, "loose" as const))
        .map(([shape, mode]) => zod.object(shape, mode)),
      fc.tuple(tie("shape"), tie("value")).map(([shape, rest]) => zod.catchall(shape, rest)),
      tie("value").map((inner) => zod.record(inner)),
      fc
        .tuple(tie("value"), tie("value"), fc.option(tie("value")))
        .map(([first, second, rest]) => zod.tuple([first, second], rest)),
      fc.tuple(tie("value"), tie("value")).map((options) => zod.union(options)),
      fc.array(tie("shape"), { minLength: 1, maxLength: 3 }).map((options) => zod.tagged(options)),
      fc.tuple(tie("shape"), tie("shape")).map(([left, right]) => zod.both(left, right)),
      tie("value").map((inner) => zod.nullable(inner)),
    ),
  }));
  return value;
}

/** Values near the schemas above, so that many of them fit. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      1,
      -1,
      2,
      3.5,
      12,
      "",
      "a",
      "aab",
      "b",
      "AB",
      " a ",
      "  ",
      "7",
      "t0",
      "t1",
      "é",
      "abcde",
      "x",
    ),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys, "tag", "other"), tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

interface Parser {
  safeParse(value: unknown): { success: boolean };
}

async function countAgreement<S extends Parser>(zod: Builder<S>): Promise<{ accepted: number; exact: number }> {
  let accepted = 0;
  let exact = 0;
  await fc.assert(
    fc.asyncProperty(schemas(zod), fc.array(json, { minLength: 20, maxLength: 20 }), async (schema, values) => {
      expect((await lintSchema(schema)).findings).toEqual([]);
      const exported = exportSchema(schema);
      const text = JSON.stringify(exported);
      // The export omits checks of changed strings and flags of Zod 4, so it may accept more, but never less.
      const isWider = hasWideParts(schema);
      const validator = new Validator(JSON.parse(text), "2020-12");
      for (const value of values) {
        const byZod = schema.safeParse(value).success;
        const bySchema = validator.validate(value).valid;
        if (byZod) accepted++;
        if (byZod && !bySchema)
          throw new Error(`Zod takes ${JSON.stringify(value)}, the exported schema does not: ${text}`);
        if (!isWider && bySchema && !byZod)
          throw new Error(`The exported schema takes ${JSON.stringify(value)}, Zod does not: ${text}`);
        if (!isWider) exact++;
      }
    }),
    { numRuns: 1500 },
  );
  return { accepted, exact };
}

/** Finds a change of a string, or a flag, anywhere in a schema. */
function hasWideParts(part: unknown, seen = new Set<unknown>()): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  if (part instanceof RegExp) return part.flags.includes("i");
  if ("check" in part && part.check === "overwrite") return true;
  if ("kind" in part && part.kind === "trim") return true;
  const internals =
    "_zod" in part && typeof part._zod === "object" && part._zod !== null && "def" in part._zod
      ? part._zod.def
      : "_def" in part
        ? part._def
        : null;
  if (internals !== null) return hasWideParts(internals, seen);
  const shape = "shape" in part && typeof part.shape === "function" ? part.shape() : null;
  return [shape, ...Object.values(part)].some((child) => hasWideParts(child, seen));
}

// The values have to be near enough to the schemas for their agreement to say something.
const enough = { accepted: 2000, exact: 10_000 };

describe("an exported schema accepts the same values as Zod", () => {
  test("for every structural schema of Zod 4 and every JSON value", async () => {
    const { accepted, exact } = await countAgreement(zod4);
    expect(accepted).toBeGreaterThan(enough.accepted);
    expect(exact).toBeGreaterThan(enough.exact);
  });

  test("for every structural schema of Zod 3 and every JSON value", async () => {
    const { accepted, exact } = await countAgreement(zod3);
    expect(accepted).toBeGreaterThan(enough.accepted);
    expect(exact).toBeGreaterThan(enough.exact);
  });
});
