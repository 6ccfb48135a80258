import { expect, it } from "vitest";
import { z } from "zod";
import type { JsonSchemaObject } from "../../contract/json.ts";
import { jsonSchemaObjectSchema } from "../../contract/json.ts";
import { exampleBody } from "./example-body.ts";

const wire = (schema: z.ZodType): JsonSchemaObject => jsonSchemaObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));

it.each([
  ["a signup", z.object({ name: z.string().trim().min(1), email: z.email() })],
  ["nested objects", z.object({ id: z.string(), data: z.object({ amount: z.int().min(0), currency: z.enum(["eur", "usd"]), note: z.string().optional() }) })],
  ["unions", z.object({ event: z.discriminatedUnion("type", [z.object({ type: z.literal("a"), n: z.number() }), z.object({ type: z.literal("b") })]) })],
  ["formats", z.object({ at: z.iso.datetime(), day: z.iso.date(), link: z.url(), key: z.uuid() })],
  ["arrays, tuples and records", z.object({ some: z.array(z.string()).min(2), pair: z.tuple([z.string(), z.number()]), more: z.record(z.string(), z.string()) })],
  ["numbers with bounds", z.object({ a: z.number().gt(5), b: z.int().multipleOf(7).min(10), c: z.number().max(-3) })],
  ["nullable and intersections", z.object({ a: z.string().nullable() }).and(z.object({ b: z.boolean() }))],
  ["long strings", z.object({ code: z.string().min(12) })],
])("the example for %s parses", (_, schema) => {
  const parsed = schema.safeParse(exampleBody(wire(schema), null));
  expect(parsed.error?.issues ?? []).toEqual([]);
});

it("what the filter asks for stands on top of what the request asks for", () => {
  const request = z.object({ type: z.string(), email: z.email(), data: z.object({ amount: z.number(), currency: z.string() }) });
  const filter = z.object({ type: z.literal("invoice.paid"), email: z.string().endsWith("@example.com"), data: z.object({ amount: z.number().min(10_000) }) });
  const example = exampleBody(wire(request), wire(filter));
  expect(example).toEqual({ type: "invoice.paid", email: "ada@example.com", data: { amount: 10_000, currency: "text" } });
});

it("a schema that holds itself comes to an end", () => {
  const node: z.ZodType = z.object({ name: z.string(), get child() { return node; } });
  expect(JSON.stringify(exampleBody(wire(node), null)).length).toBeLessThan(1000);
});
