import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { lintSchema } from "./lint.ts";

async function regexesOf(schema: unknown): Promise<string[]> {
  return (await lintSchema(schema)).regexes.map(({ source, flags }) => `/${source}/${flags}`);
}

async function methodsOf(schema: unknown): Promise<string[]> {
  return (await lintSchema(schema)).findings.map(({ path, method }) => [...path, method].join(" "));
}

function fail(): never {
  throw new Error("not today");
}

describe("lintSchema", () => {
  test("trusts the regular expressions of Zod", async () => {
    const all = { ...z };
    const formats = [
      "email",
      "url",
      "httpUrl",
      "uuid",
      "uuidv4",
      "guid",
      "nanoid",
      "cuid",
      "cuid2",
      "ulid",
      "xid",
      "ksuid",
      "ipv4",
      "ipv6",
      "cidrv4",
      "cidrv6",
      "base64",
      "base64url",
      "e164",
      "jwt",
      "emoji",
      "hostname",
      "hex",
    ] as const;
    for (const format of formats) {
      const make: () => unknown = all[format];
      expect([format, await lintSchema(make())]).toEqual([format, { findings: [], regexes: [] }]);
    }
    for (const schema of [
      z.iso.datetime(),
      z.iso.date(),
      z.iso.time(),
      z.iso.duration(),
      z.string().email().startsWith("a.*").includes("b"),
      z3.string().email().uuid(),
    ]) {
      expect(await lintSchema(schema)).toEqual({ findings: [], regexes: [] });
    }
  });

  test("finds the user's own regular expressions, also where a format hides them", async () => {
    expect(
      await regexesOf(
        z.object({
          a: z.string().regex(/a/i),
          b: z.email({ pattern: /b/ }),
          c: z.url({ hostname: /c/, protocol: /d/ }),
          e: z.stringFormat("e", /e/),
        }),
      ),
    ).toEqual(["/a/i", "/b/", "/c/", "/d/", "/e/"]);
    expect(await regexesOf(mini.string().check(mini.regex(/a/)))).toEqual(["/a/"]);
    expect(await regexesOf(z3.array(z3.string().min(1).regex(/a/)))).toEqual(["/a/"]);
  });

  test("distinguishes built-in changes of a string from user code", async () => {
    expect(await methodsOf(z.string().trim().toLowerCase().toUpperCase().normalize("NFC").slugify())).toEqual([]);
    expect(await methodsOf(mini.string().check(mini.trim(), mini.toLowerCase(), mini.normalize()))).toEqual([]);
    for (const code of [
      (text: string) => text.trim().slice(1),
      (text: string) => `${text.trim()}`,
      (text: string) => text.padEnd(3),
    ]) {
      expect(await methodsOf(z.string().overwrite(code))).toEqual([".overwrite()"]);
    }
  });

  test("finds a condition of the user's own on a built-in check", async () => {
    const never = { when: () => false } as never;
    for (const schema of [
      z.string().min(3, never),
      z.string().regex(/a/, never),
      z.number().gt(3, never),
      z.email(never),
      z.array(z.int()).max(3, never),
    ])
      expect(await methodsOf(schema)).toEqual(["a check with when"]);
    expect(await methodsOf(z.array(z.string().min(1).max(2).length(2).includes("a")).min(1).nonempty())).toEqual([]);
  });

  test("recognizes z.stringbool() in every version of Zod 4", async () => {
    expect(
      await methodsOf(
        z.object({ a: z.stringbool(), b: mini.array(mini.optional(mini.stringbool({ truthy: ["j"], falsy: ["n"] }))) }),
      ),
    ).toEqual(["a z.stringbool()", "b [] z.stringbool()"]);
    // As 4.1 and 4.0 make it.
    const codec = z.codec(z.string(), z.boolean(), {
      decode: (text, ctx) =>
        text === "j"
          ? true
          : (ctx.issues.push({ code: "invalid_value", expected: "stringbool", values: [], input: text } as never),
            z.NEVER),
      encode: String,
    });
    const pipes = z.pipe(
      z.pipe(
        z.string(),
        z.transform((text, ctx) =>
          text === "j"
            ? true
            : (ctx.issues.push({ code: "invalid_value", expected: "stringbool", values: [], input: text } as never),
              z.NEVER),
        ),
      ),
      z.boolean(),
    );
    expect(await methodsOf(z.object({ codec, pipes }))).toEqual(["codec z.stringbool()", "pipes z.stringbool()"]);
    expect(
      await methodsOf(
        z.object({
          codec: z.codec(z.string(), z.boolean(), { decode: Boolean, encode: String }),
          pipe: z.string().transform(Boolean),
        }),
      ),
    ).toEqual(["codec z.codec()", "pipe .transform()"]);
  });

  test("reports a fault once, at the first path to it", async () => {
    const at = z.date();
    expect(await methodsOf(z.object({ first: z.array(at), second: at }))).toEqual(["first [] z.date()"]);
  });

  test("terminates for recursive schemas", async () => {
    const tree = z.object({
      at: z.date(),
      get children() {
        return z.array(tree);
      },
    });
    expect(await methodsOf(tree)).toEqual(["at z.date()"]);
    const chain: z3.ZodTypeAny = z3.lazy(() => z3.object({ at: z3.date(), next: chain.optional() }));
    expect(await methodsOf(chain)).toEqual(["at z.date()"]);
  });

  test("accepts a default from a function that always returns the same value", async () => {
    expect(await methodsOf(z.object({ a: z.array(z.string()).default(() => ["x"]) }))).toEqual([]);
    expect(await methodsOf(z3.object({ c: z3.array(z3.any()).default([]) }))).toEqual([]);
    let count = 0;
    expect(await methodsOf(z.number().default(() => count++))).toEqual([".default()"]);
    expect(await methodsOf(z.number().default(() => Date.now()))).toEqual([".default()"]);
    expect(await methodsOf(z3.any().default(() => new Date(0)))).toEqual([".default()"]);
  });

  test("finds values inside a schema that are not Zod schemas, wherever a schema belongs", async () => {
    expect(await methodsOf(z.object({ a: { safeParse: () => null } as never }))).toEqual(["a not a Zod schema"]);
    const missing = undefined as never;
    const cases = [z, z3].flatMap((zod) => {
      const { object, array, intersection, string, lazy } = zod as typeof z;
      return [
        object({ a: missing }),
        object({ a: array(missing) }),
        intersection(string(), missing),
        lazy(() => missing),
      ];
    });
    const expected = [["a undefined"], ["a [] undefined"], ["undefined"], ["undefined"]];
    expect(await Promise.all(cases.map(methodsOf))).toEqual([...expected, ...expected]);
  });

  test("finds schemas of another version of Zod, at every depth and in every container", async () => {
    const [four, three, small] = [z.string() as never, z3.string() as never, mini.string() as never];
    expect(
      await methodsOf(
        z.object({
          a: three,
          b: z.array(three).optional(),
          c: z.union([z.string(), three]),
          d: z.lazy(() => three),
          g: z.object({}).catchall(three),
          h: z.string().pipe(three),
          i: mini.array(z.string()),
          j: mini.object({ k: three }),
        }),
      ),
    ).toEqual(
      ["a", "b []", "c option 2", "d", "g *", "h", "j k"].map(
        (path) => `${path} a schema of Zod 3 inside one of Zod 4`,
      ),
    );
    expect(
      await methodsOf(
        z3.object({
          a: four,
          b: z3.array(small),
          c: z3.object({ d: four }).and(z3.object({})),
          e: z3.lazy(() => four),
        }),
      ),
    ).toEqual(["a", "b []", "c d", "e"].map((path) => `${path} a schema of Zod 4 inside one of Zod 3`));
  });

  const [old, neu] = [z3.object({ s: z3.string() }) as never, z.object({ s: z.string() }) as never];

  test.each<[container: string, make: () => unknown, path: string]>([
    ["object", () => z.object({ a: old }), "a"],
    ["strictObject", () => z.strictObject({ a: old }), "a"],
    ["looseObject", () => z.looseObject({ a: old }), "a"],
    ["extend", () => z.object({}).extend({ a: old }), "a"],
    [
      "a getter",
      () =>
        z.object({
          get a() {
            return old;
          },
        }),
      "a",
    ],
    ["catchall", () => z.object({}).catchall(old), "*"],
    ["array", () => z.array(old), "[]"],
    ["tuple", () => z.tuple([old]), "[0]"],
    ["the rest of a tuple", () => z.tuple([z.string()], old), "[…]"],
    [".rest()", () => z.tuple([z.string()]).rest(old), "[…]"],
    ["the values of a record", () => z.record(z.string(), old), "*"],
    ["the values of an optional record", () => z.object({ a: z.record(z.string(), old).optional() }), "a *"],
    ["the keys of a record", () => z.record(old, z.string()), "keys"],
    ["partialRecord", () => z.partialRecord(z.enum(["a"]), old), "*"],
    ["looseRecord", () => z.looseRecord(z.string(), old), "*"],
    ["union", () => z.union([z.string(), old]), "option 2"],
    ["or", () => z.string().or(old), "option 2"],
    ["xor", () => z.xor([z.string(), old]), "option 2"],
    ["intersection", () => z.intersection(z.object({}), old), ""],
    ["intersection, left", () => z.intersection(old, z.object({})), ""],
    ["and", () => z.object({}).and(old), ""],
    ["optional", () => z.optional(old), ""],
    ["exactOptional", () => z.exactOptional(old), ""],
    ["nullable", () => z.nullable(old), ""],
    ["nullish", () => z.nullish(old), ""],
    ["nonoptional", () => z.nonoptional(old), ""],
    ["readonly", () => z.readonly(old), ""],
    ["mini prefault", () => mini.prefault(old, {} as never), ""],
    ["prefault", () => z.prefault(old, {} as never), ""],
    ["lazy", () => z.lazy(() => old), ""],
    ["pipe", () => z.string().pipe(old), ""],
    ["pipe, first", () => z.pipe(old, z.string() as never), ""],
    ["mini object", () => mini.object({ a: old }), "a"],
    ["mini catchall", () => mini.catchall(mini.object({}), old), "*"],
    ["mini record", () => mini.record(mini.string(), old), "*"],
    ["mini rest of a tuple", () => mini.tuple([mini.string()], old), "[…]"],
  ])("finds a schema of Zod 3 in Zod 4: %s", async (_, make, path) => {
    expect(await methodsOf(make())).toEqual([`${path} a schema of Zod 3 inside one of Zod 4`.trim()]);
  });

  test.each<[container: string, make: () => unknown, path: string]>([
    ["object", () => z3.object({ a: neu }), "a"],
    ["catchall", () => z3.object({}).catchall(neu), "*"],
    ["array", () => z3.array(neu), "[]"],
    ["tuple", () => z3.tuple([neu]), "[0]"],
    ["the rest of a tuple", () => z3.tuple([z3.string()]).rest(neu), "[…]"],
    ["record", () => z3.record(neu), "*"],
    ["the values of a record", () => z3.record(z3.string(), neu), "*"],
    ["the values of an optional record", () => z3.object({ a: z3.record(z3.string(), neu).optional() }), "a *"],
    ["the keys of a record", () => z3.record(neu, z3.string()), "keys"],
    ["union", () => z3.union([z3.string(), neu]), "option 2"],
    ["or", () => z3.string().or(neu), "option 2"],
    ["intersection", () => z3.intersection(z3.object({}), neu), ""],
    ["intersection, left", () => z3.intersection(neu, z3.object({})), ""],
    ["and", () => z3.object({}).and(neu), ""],
    ["optional", () => z3.optional(neu), ""],
    ["nullable", () => z3.nullable(neu), ""],
    ["default", () => z3.ZodDefault.create(neu, { default: {} as never }), ""],
    ["readonly", () => z3.ZodReadonly.create(neu), ""],
    ["branded", () => new z3.ZodBranded({ typeName: z3.ZodFirstPartyTypeKind.ZodBranded, type: neu }), ""],
    ["lazy", () => z3.lazy(() => neu), ""],
    ["pipe", () => z3.string().pipe(neu), ""],
    ["pipeline, first", () => z3.pipeline(neu, z3.string()), ""],
  ])("finds a schema of Zod 4 in Zod 3: %s", async (_, make, path) => {
    expect(await methodsOf(make())).toEqual([`${path} a schema of Zod 4 inside one of Zod 3`.trim()]);
  });

  test("finds no other version in the options of a record or a tuple", async () => {
    for (const schema of [
      z.record(z.string(), z.string(), "not a record"),
      z.record(z.string(), z.string(), { error: "not a record" }),
      z.record(z.string(), z.string()).describe("text").meta({ title: "texts" }),
      z.tuple([z.string()], { error: () => "no" }),
      z.tuple([z.string()], "no"),
      z3.record(z3.string()),
      z3.record(z3.string(), z3.number()),
      z3.record(z3.string(), z3.number(), { invalid_type_error: "not a record" }),
      z3.record(z3.number(), { invalid_type_error: "not a record" }),
      z3.record(z3.number(), { required_error: "missing" }),
      z3.record(z3.number(), { description: "numbers" }),
      z3.record(z3.number(), { errorMap: () => ({ message: "no" }) }),
      z3.record(z3.number(), { message: "no" }),
    ])
      expect(await methodsOf(schema)).toEqual([]);
  });

  test("names the place of a getter or a default that throws, and of a default that is undefined", async () => {
    expect(
      await methodsOf(
        z.object({
          a: z.array(z.lazy(fail)),
          b: z.object({
            get c() {
              return fail();
            },
          }),
          d: z.string().default(fail),
          e: z.string().default(undefined as never),
          f: z.string().prefault(undefined as never),
          g: z.string().prefault(() => String(Math.random())),
        }),
      ),
    ).toEqual([
      "a [] not today",
      "b not today",
      "d .default()",
      "e .default(undefined)",
      "f .prefault(undefined)",
      "g .prefault()",
    ]);
    expect(
      await methodsOf(z3.object({ a: z3.lazy(fail), b: z3.string().default(fail), c: z3.any().default(undefined) })),
    ).toEqual(["a not today", "b .default()", "c .default(undefined)"]);
  });
});
