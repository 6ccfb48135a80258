import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { exampleBody } from "./example-body.ts";

const wire = (schema: z.ZodType): JsonSchemaObject =>
  jsonSchemaObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));

it.each([
  ["a signup", z.object({ name: z.string().trim().min(1), email: z.email() })],
  [
    "nested objects",
    z.object({
      id: z.string(),
      data: z.object({ amount: z.int().min(0), currency: z.enum(["eur", "usd"]), note: z.string().optional() }),
    }),
  ],
  [
    "unions",
    z.object({
      event: z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), n: z.number() }),
        z.object({ type: z.literal("b") }),
      ]),
    }),
  ],
  ["formats", z.object({ at: z.iso.datetime(), day: z.iso.date(), link: z.url(), key: z.uuid() })],
  [
    "arrays, tuples and records",
    z.object({
      some: z.array(z.string()).min(2),
      pair: z.tuple([z.string(), z.number()]),
      more: z.record(z.string(), z.string()),
    }),
  ],
  ["numbers with bounds", z.object({ a: z.number().gt(5), b: z.int().multipleOf(7).min(10), c: z.number().max(-3) })],
  ["nullable and intersections", z.object({ a: z.string().nullable() }).and(z.object({ b: z.boolean() }))],
  [
    "long and short strings",
    z.object({
      code: z.string().min(12),
      currency: z.string().length(3),
      address: z.email().max(10),
      empty: z.string().max(0),
      shout: z.string().uppercase().min(8),
    }),
  ],
  [
    "patterns",
    z.object({
      currency: z.string().regex(/^[A-Z]{3}$/),
      card: z.string().regex(/^\d{16}$/),
      event: z.string().regex(/^(?:evt|cus)_[A-Za-z0-9]{14,}$/),
      version: z.string().regex(/^v\d+\.\d+\.\d+$/),
      any: z
        .string()
        .regex(/^[^@\s]+@[^@\s]+$/)
        .min(30),
      sha: z.string().regex(/^[0-9a-f]{40}$/),
      price: z.templateLiteral([z.number(), " ", z.enum(["eur", "usd"])]),
    }),
  ],
  [
    "several patterns",
    z.object({ a: z.string().startsWith("a").endsWith("z").max(3), b: z.string().includes("foo").max(5) }),
  ],
  [
    "formats in other versions",
    z.object({
      at: z.iso.datetime({ precision: 3 }),
      minute: z.iso.time({ precision: 3 }),
      micro: z.iso.datetime({ precision: 6 }),
      key: z.uuidv4(),
      hash: z.hash("md5", { enc: "base64" }),
    }),
  ],
  [
    "numbers that leave little room",
    z.object({
      tiny: z.number().gt(1e-9).lt(1e-8),
      both: z.number().multipleOf(3).multipleOf(5).min(1),
      half: z.number().gt(0).lt(1),
      step: z.number().multipleOf(0.1).min(0.25),
    }),
  ],
  [
    "unions of which some can never be",
    z.object({
      a: z.union([z.never(), z.int()]),
      b: z.union([z.object({ no: z.never() }), z.object({ yes: z.int() })]),
    }),
  ],
])("the example for %s parses", (_, schema) => {
  const parsed = schema.safeParse(exampleBody(wire(schema), null));
  expect(parsed.error?.issues ?? []).toEqual([]);
});

it("the conditions of the filter are added to those of the request", () => {
  const request = z.object({
    type: z.string(),
    email: z.email(),
    data: z.object({ amount: z.number(), currency: z.string() }),
  });
  const filter = z.object({
    type: z.literal("invoice.paid"),
    email: z.string().endsWith("@example.com"),
    data: z.object({ amount: z.number().min(10_000) }),
  });
  const example = exampleBody(wire(request), wire(filter));
  expect(example).toEqual({
    type: "invoice.paid",
    email: "ada@example.com",
    data: { amount: 10_000, currency: "text" },
  });
});

it("a recursive schema has a finite example", () => {
  const node: z.ZodType = z.object({
    name: z.string(),
    get child() {
      return node;
    },
  });
  expect(JSON.stringify(exampleBody(wire(node), null)).length).toBeLessThan(1000);
});

const wraps: readonly ((inner: z.ZodType) => z.ZodType)[] = [
  (inner) => z.object({ inner, note: z.string().min(2), more: z.string().optional() }),
  (inner) => z.array(inner).min(1),
  (inner) => z.tuple([z.int(), inner]),
  (inner) => z.record(z.enum(["only"]), inner),
  (inner) => z.union([z.never(), inner]),
  (inner) => z.object({ left: inner }).and(z.object({ right: z.boolean() })),
  (inner) => z.lazy(() => inner).readonly(),
  (inner) => z.object({ inner }).pipe(z.object({ inner: z.unknown() })),
];

it("the example of every schema parses, at any depth", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...wraps), { minLength: 1, maxLength: 60, size: "max" }), (chosen) => {
      const schema = chosen.reduce<z.ZodType>((inner, wrap) => wrap(inner), z.literal("at the end"));
      const example = exampleBody(exportSchema(schema), null);
      expect(schema.safeParse(example).error?.issues).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

it.each([
  ["changes and a pipe", z.string().trim().toLowerCase().pipe(z.email())],
  ["a change before a format", z.string().trim().email().min(20)],
  [
    "a change before fixed values",
    z.object({
      plan: z
        .string()
        .toLowerCase()
        .pipe(z.enum(["free", "gold"]))
        .nullable(),
    }),
  ],
  ["a URL with an ending", z.object({ file: z.url().endsWith(".pdf") })],
  [
    "an object that the second part of a pipe narrows",
    z.object({ a: z.object({}) }).pipe(z.object({ a: z.object({}) })),
  ],
  ["changes of Zod 3", z3.string().trim().email().endsWith("@a.com")],
])("the example for %s parses", (_, schema) => {
  const example = exampleBody(exportSchema(schema), null);
  expect(schema.safeParse(example).error?.issues, JSON.stringify(example)).toBeUndefined();
});

it("a schema that contains itself has an example with the alternative that ends", () => {
  const tree: z.ZodType = z.object({
    node: z.union([
      z.object({ left: z.lazy(() => tree), right: z.lazy(() => tree) }),
      z.object({ items: z.lazy(() => z.array(tree).min(1)) }),
      z.object({ leaf: z.int() }),
    ]),
  });
  expect(exampleBody(exportSchema(tree), null)).toEqual({ node: { leaf: 1 } });
  const endless: z.ZodType = z.object({ name: z.string(), child: z.lazy(() => endless) });
  expect(exampleBody(exportSchema(endless), null)).toEqual({ name: "text" });
});
