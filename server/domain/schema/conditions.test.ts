import { expect, it } from "vitest";
import { z } from "zod";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { conditionsOf } from "./conditions.ts";

const wire = (schema: z.ZodType): JsonSchemaObject => jsonSchemaObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));
const say = (...schemas: [z.ZodType, z.ZodType?]) => conditionsOf(wire(schemas[0]), schemas[1] ? wire(schemas[1]) : null).map(({ place, words }) => `${place} ${words}`);

it("without a filter, the fields that the request needs are named", () => {
  expect(say(z.object({ name: z.string().min(1), email: z.email(), age: z.int().optional() }))).toEqual(["name not empty", "email is an e-mail"]);
});

it("with a filter, what the filter asks for is named", () => {
  const request = z.object({ type: z.string(), data: z.object({ amount: z.number() }) });
  expect(say(request, z.object({ type: z.literal("invoice.paid"), data: z.object({ amount: z.number().min(10_000) }) }))).toEqual(["type is invoice.paid", "data.amount ≥ 10\u00A0000"]);
});

it("the bounds that every integer has are not mentioned", () => {
  expect(say(z.object({ n: z.int() }))).toEqual(["n is an integer"]);
});

it("choices are listed", () => {
  expect(say(z.object({ currency: z.enum(["eur", "usd"]) }))).toEqual(["currency is eur or usd"]);
});
