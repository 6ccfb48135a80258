import * as fc from "fast-check";
import { z } from "zod";
import { z as z3 } from "zod/v3";

/** Usual and hostile keys and strings. */
const hostileText = fc.oneof(
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "a.b",
    "a/b~c 100%",
    "$ref",
    "type",
    "const",
    "<img src=x onerror=alert(1)>",
    "\u202Eevil",
    "\u0000",
    "\uD800",
    "a\nb",
    "ключ",
    "🚦".repeat(40),
    "x".repeat(500),
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);

const patterns = [/^a.*/, /b$/, /x\.y/, /^(a|b)$/, /^[a-z]{2}$/, /(?<!x)\p{L}+/u];

const plain4: fc.Arbitrary<z.ZodType> = fc.oneof(
  fc.constantFrom<z.ZodType>(
    z.string(),
    z.email(),
    z.url(),
    z.iso.datetime(),
    z.ipv4(),
    z.int(),
    z.boolean(),
    z.null(),
    z.any(),
    z.never(),
    z.json(),
    z.jwt(),
    z.e164(),
  ),
  hostileText.map((text) => z.literal(text)),
  fc.array(hostileText, { minLength: 1, maxLength: 20 }).map((texts) => z.literal(texts)),
  hostileText.map((text) => z.string().endsWith(text)),
  hostileText.map((text) => z.string().describe(text).meta({ title: text })),
  fc.constantFrom(...patterns).map((pattern) => z.string().regex(pattern)),
  fc.tuple(fc.integer(), fc.nat()).map(([least, more]) =>
    z
      .number()
      .min(least)
      .max(least + more),
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((least) => z.number().gt(least)),
  fc.nat(100_000).map((length) => z.string().min(length)),
);

/** Schemas of Zod 4 of every kind that may be exported: nested, with hostile names, some recursive. */
export const zod4Schema: fc.Arbitrary<z.ZodType> = fc.letrec<{ schema: z.ZodType }>((tie) => {
  const schema = tie("schema");
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      plain4,
      fc.dictionary(hostileText, schema, { maxKeys: 6, noNullPrototype: true }).map((shape) => z.object(shape)),
      fc
        .dictionary(
          hostileText,
          schema.map((one) => one.optional()),
          { maxKeys: 4, noNullPrototype: true },
        )
        .map((shape) => z.strictObject(shape)),
      fc.tuple(schema, fc.nat(40)).map(([item, least]) => z.array(item).min(least)),
      schema.map((value) => z.record(z.string(), value)),
      fc.array(schema, { minLength: 2, maxLength: 8 }).map((choices) => z.union(choices)),
      fc.array(schema, { minLength: 1, maxLength: 4 }).map(([first = z.null(), ...rest]) => z.tuple([first, ...rest])),
      fc.tuple(schema, schema).map(([one, other]) => z.intersection(one, other)),
      fc.tuple(schema, schema).map(([one, other]) => z.pipe(one, other as never)),
      fc.tuple(schema, hostileText).map(([one, text]) => one.default(text).meta({ title: text, enum: [text] })),
      schema.map((one) =>
        z
          .string()
          .trim()
          .pipe(one as never),
      ),
      schema.map((one) => one.nullable()),
      schema.map((child) => {
        const node: z.ZodType = z.object({
          child,
          get again() {
            return z.array(node).min(2);
          },
          get other() {
            return node.nullable();
          },
        });
        return node;
      }),
    ),
  };
}).schema;

/** The same of Zod 3, in less detail: its exporter writes other shapes. */
export const zod3Schema: fc.Arbitrary<z3.ZodTypeAny> = fc.letrec<{ schema: z3.ZodTypeAny }>((tie) => {
  const schema = tie("schema");
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<z3.ZodTypeAny>(
        z3.string().email(),
        z3.string().ip(),
        z3.string().regex(/a/i),
        z3.number().int().gt(3),
        z3.boolean(),
        z3.null(),
        z3.any(),
      ),
      hostileText.map((text) => z3.literal(text)),
      hostileText.map((text) => z3.string().startsWith(text)),
      fc.dictionary(hostileText, schema, { maxKeys: 6, noNullPrototype: true }).map((shape) => z3.object(shape)),
      schema.map((item) => z3.array(item).nonempty()),
      schema.map((value) => z3.record(value)),
      fc.tuple(schema, schema).map((choices) => z3.union(choices)),
      fc.tuple(schema, schema).map((items) => z3.tuple(items)),
      fc.tuple(schema, schema).map(([one, other]) => z3.intersection(one, other)),
      fc.tuple(schema, schema).map(([one, other]) => one.pipe(other)),
      fc.tuple(schema, hostileText).map(([one, text]) => one.default(text).describe(text)),
      schema.map((one) => one.nullable()),
      schema.map((child) => {
        const node: z3.ZodTypeAny = z3.object({ child, again: z3.lazy(() => z3.array(node)) });
        return node;
      }),
    ),
  };
}).schema;
