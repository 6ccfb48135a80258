import { expect, it } from "vitest";
import { z } from "zod";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../server/contract/json.ts";
import { childrenOf } from "./schema-children.ts";

const wire = (schema: z.ZodType): JsonSchemaObject =>
  jsonSchemaObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));
const namesOf = (schema: z.ZodType) => {
  const root = wire(schema);
  return childrenOf(root, root).children.map(({ name, isRequired }) => (isRequired ? name : `${name}?`));
};

it("the children of an object are its properties", () => {
  expect(namesOf(z.object({ name: z.string(), note: z.string().optional() }))).toEqual(["name", "note?"]);
});

it("arrays, tuples and records have children for their elements", () => {
  expect(namesOf(z.array(z.string()))).toEqual(["each item"]);
  expect(namesOf(z.tuple([z.string(), z.number()], z.boolean()))).toEqual(["item 1", "item 2", "each further item"]);
  expect(namesOf(z.record(z.email(), z.int()))).toEqual(["each key", "each value"]);
  expect(namesOf(z.object({ a: z.string() }).catchall(z.int()))).toEqual(["a", "each other key"]);
});

it("union variants are named by their discriminator value", () => {
  expect(
    namesOf(z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })])),
  ).toEqual(["if type is a", "if type is b"]);
  expect(namesOf(z.union([z.object({ a: z.string() }), z.array(z.string())]))).toEqual(["shape 1", "shape 2"]);
});

it("scalars and unions of scalars have no children", () => {
  expect(namesOf(z.union([z.string(), z.number()]))).toEqual([]);
  expect(namesOf(z.enum(["a", "b"]))).toEqual([]);
});

it("a recursive schema has children at every level", () => {
  const node: z.ZodType = z.object({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });
  const root = wire(node);
  const open = (schema: JsonSchemaObject, times: number): string[] => {
    const { children } = childrenOf(schema, root);
    const last = children.at(-1);
    return times === 0 || !last ? [] : [last.name, ...open(last.schema, times - 1)];
  };
  expect(open(root, 5)).toEqual(["children", "each item", "children", "each item", "children"]);
});

it("with thousands of properties, the first are shown and the rest are counted", () => {
  const root = wire(
    z.object(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, z.string()]))),
  );
  const { children, more } = childrenOf(root, root);
  expect([children.length, more]).toEqual([200, 800]);
});
