import { expect, it } from "vitest";
import { z } from "zod";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { conditionsOf } from "./conditions.ts";

const wire = (schema: z.ZodType): JsonSchemaObject =>
  jsonSchemaObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));
const say = (...schemas: [z.ZodType, z.ZodType?]) =>
  conditionsOf({ request: wire(schemas[0]), filter: schemas[1] ? wire(schemas[1]) : null }).map(
    ({ path, words }) => `${path} ${words}`,
  );

it("without a filter, the fields that the request needs are named", () => {
  expect(say(z.object({ name: z.string().min(1), email: z.email(), age: z.int().optional() }))).toEqual([
    "name is not empty",
    "email is an email",
  ]);
});

it("with a filter, its conditions are named", () => {
  const request = z.object({ type: z.string(), data: z.object({ amount: z.number() }) });
  expect(
    say(request, z.object({ type: z.literal("invoice.paid"), data: z.object({ amount: z.number().min(10_000) }) })),
  ).toEqual(["type is invoice.paid", "data.amount ≥ 10,000"]);
});

it("the bounds that every integer has are not mentioned", () => {
  expect(say(z.object({ n: z.int() }))).toEqual(["n is an integer"]);
});

it("choices are listed", () => {
  expect(say(z.object({ currency: z.enum(["eur", "usd"]) }))).toEqual(["currency is eur or usd"]);
});

it("the most specific conditions come first, and omitted ones are counted", () => {
  const body = z.object({
    id: z.string(),
    at: z.iso.datetime(),
    name: z.string().min(1),
    amount: z.int().min(5),
    type: z.literal("paid"),
  });
  expect(say(body)).toEqual(["type is paid", "amount ≥ 5", "at is a date and time", " and 2 more"]);
});

it("the filter comes before the fixed values of the request", () => {
  const request = z.object({ type: z.literal("invoice"), amount: z.number(), name: z.string() });
  expect(say(request, z.object({ amount: z.number().gt(100) }))).toEqual(["amount > 100", "type is invoice"]);
});

it("an optional field of a filter is marked as optional", () => {
  expect(say(z.object({ a: z.string() }), z.object({ currency: z.literal("eur").optional() }))).toEqual([
    "currency is eur, if present",
  ]);
});

it("paths in lists and records are named", () => {
  const body = z.object({
    items: z.array(z.object({ sku: z.string().startsWith("s_") })).min(1),
    prices: z.record(z.string(), z.number().min(0)),
  });
  expect(say(body)).toEqual(["items[].sku starts with s_", "prices.* ≥ 0", "items is not empty"]);
});

it("the shapes of an event are distinguished by the values of its type", () => {
  const event = z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })]);
  expect(say(event)).toEqual(["type is a or b"]);
  expect(say(z.object({ event }))).toEqual(["event.type is a or b"]);
});

it("a body that is not an object has its own description", () => {
  expect(say(z.array(z.string()).min(2))).toEqual(["the body has at least 2 items"]);
  expect(say(z.looseObject({}))).toEqual(["the body is an object"]);
  expect(say(z.any())).toEqual([]);
});

it("the conditions of an intersection are merged", () => {
  expect(say(z.intersection(z.object({ a: z.literal("x") }), z.object({ b: z.string().min(1) })))).toEqual([
    "a is x",
    "b is not empty",
  ]);
});

it.each<[string, z.ZodType, string[]]>([
  ["an optional string", z.object({ "x-user": z.string().optional() }), []],
  ["several optional fields", z.object({ a: z.string().optional(), b: z.int().optional() }), []],
  ["no fields", z.object({}), []],
  ["any fields", z.looseObject({}), []],
  ["a record", z.record(z.string(), z.string()), []],
  ["a default", z.object({ a: z.string().default("x") }), []],
  ["an optional fixed value", z.object({ a: z.literal("x").optional() }), ["a is x, if present"]],
  ["a required and an optional field", z.object({ a: z.string(), b: z.string().optional() }), ["a is a string"]],
])("optional headers and parameters are no conditions: %s", (_, schema, words) => {
  const conditionsWith = (part: "headers" | "query") =>
    conditionsOf({ request: wire(z.object({ id: z.string() })), filter: null, [part]: wire(schema) }).map((one) =>
      `${one.path} ${one.words}`.replace(/^(?:header|query) /, ""),
    );
  expect(conditionsWith("headers")).toEqual([...words, "id is a string"]);
  expect(conditionsWith("query")).toEqual([...words, "id is a string"]);
});

it("conditions on all headers and on the whole query are named as such", () => {
  const conditions = conditionsOf({
    request: {},
    filter: null,
    headers: wire(z.strictObject({ a: z.string().optional() })),
    query: { type: "object", minProperties: 2 },
  });
  expect(conditions.map(({ path, words }) => `${path} ${words}`)).toEqual(["the query has at least 2 keys"]);
  const union = wire(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]));
  expect(conditionsOf({ request: {}, filter: null, headers: union })).toEqual([
    { path: "the headers", words: "is one of 2 shapes" },
  ]);
});

it("the conditions on headers and on the query are first", () => {
  const conditions = conditionsOf({
    request: wire(z.object({ id: z.string().min(1) })),
    filter: null,
    headers: wire(z.object({ "x-event": z.literal("paid") })),
    query: wire(z.object({ topic: z.enum(["refunds", "returns"]) })),
  });
  expect(conditions.map(({ path, words }) => `${path} ${words}`)).toEqual([
    "header x-event is paid",
    "query topic is refunds or returns",
    "id is not empty",
  ]);
});
