import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonSchemaObject } from "../../contract/json.ts";
import { answerSchema } from "./answer.ts";

const exported = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" }) as JsonSchemaObject;

test("every object of the schema is closed, and the dialect is left out", () => {
  const schema = exported(
    z.object({
      a: z.object({ b: z.array(z.object({ c: z.string() })) }),
      d: z.union([z.object({ e: z.null() }), z.int()]),
      f: z.object({ g: z.int() }).nullable(),
    }),
  );
  const { schema: closed, isStrict } = answerSchema(schema);
  expect(isStrict).toBe(true);
  expect(closed).not.toHaveProperty("$schema");
  const text = JSON.stringify(closed);
  expect(text.match(/"type":"object"/g)).toHaveLength(5);
  expect(text.match(/"additionalProperties":false/g)).toHaveLength(5);
});

test.each([
  ["an optional property", z.object({ a: z.string().optional() })],
  ["a default", z.object({ a: z.string().default("b") })],
  ["one that is deep inside", z.object({ a: z.array(z.object({ b: z.string().optional() })) })],
  ["a record", z.object({ a: z.record(z.string(), z.int()) })],
  [
    "a discriminated union",
    z.object({
      a: z.discriminatedUnion("kind", [z.object({ kind: z.literal("b") }), z.object({ kind: z.literal("c") })]),
    }),
  ],
])("%s is not supported by OpenAI's strict mode", (_, schema) => {
  expect(answerSchema(exported(schema)).isStrict).toBe(false);
});

test("values that only look like a schema stay unchanged", () => {
  const schema: JsonSchemaObject = {
    type: "object",
    properties: { type: { const: { type: "object" } }, additionalProperties: { enum: [{ type: "object" }] } },
    required: ["type", "additionalProperties"],
  };
  expect(answerSchema(schema).schema).toEqual({ ...schema, additionalProperties: false });
});

test("the parts of an intersection stay open, because each has only some of the properties", () => {
  const allOf: JsonSchemaObject[] = [
    { type: "object", properties: { a: {} }, required: ["a"] },
    { type: "object", properties: { b: {} }, required: ["b"] },
  ];
  expect(answerSchema({ allOf })).toEqual({ schema: { allOf }, isStrict: false });
});

test("a record keeps the shape of its values", () => {
  expect(answerSchema(exported(z.record(z.string(), z.int()))).schema).toMatchObject({
    additionalProperties: { type: "integer" },
  });
});
