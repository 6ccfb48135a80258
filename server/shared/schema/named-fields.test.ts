import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { namedFields, isClosed, isObjectSchema, namedLists } from "./named-fields.ts";

const fieldsOf = (schema: z.ZodType | z3.ZodTypeAny) =>
  namedFields(exportSchema(schema)).map(({ name, takes, isRequired }) => `${name} ${takes}${isRequired ? "" : "?"}`);

describe("the headers or parameters that a schema names", () => {
  test("are those of all its parts and alternatives, in their order", () => {
    expect(
      fieldsOf(
        z.intersection(
          z.object({ "x-a": z.literal("1") }),
          z.union([z.object({ "x-b": z.string().optional() }), z.object({ "x-c": z.enum(["a", "b"]) })]),
        ),
      ),
    ).toEqual(["x-a text", "x-b text?", "x-c text"]);
  });

  test.each([
    ["Zod 4", z],
    ["Zod 3", z3],
  ] as const)(
    "are lists if the schema accepts an array, in %s",
    (_, { array, literal, number, object, string, union }) => {
      const schema = (object as typeof z.object)({
        text: (string as typeof z.string)(),
        list: (array as typeof z.array)((string as typeof z.string)()),
        either: (union as typeof z.union)([
          (literal as typeof z.literal)("a"),
          (array as typeof z.array)((literal as typeof z.literal)("a")),
        ]),
        other: (number as typeof z.number)(),
      });
      expect(fieldsOf(schema)).toEqual(["text text", "list list", "either list", "other other"]);
      expect(namedLists(exportSchema(schema))).toEqual(["list", "either"]);
    },
  );
});

test("only objects describe headers or a query", () => {
  const closed = [
    z.strictObject({ a: z.string() }),
    z.record(z.string(), z.string()),
    z.object({}).catchall(z.string()),
  ];
  const open = [z.object({ a: z.string() }), z.looseObject({ a: z.string() }), z3.object({ a: z3.string() })];
  const others = [z.string(), z.array(z.string()), z.union([z.object({}), z.string()]), z.any()];
  expect([...closed, ...open].map((schema) => isObjectSchema(exportSchema(schema)))).toEqual(Array(6).fill(true));
  expect(others.map((schema) => isObjectSchema(exportSchema(schema)))).toEqual(Array(4).fill(false));
  expect(closed.map((schema) => isClosed(exportSchema(schema)))).toEqual(Array(3).fill(true));
  expect(open.map((schema) => isClosed(exportSchema(schema)))).toEqual(Array(3).fill(false));
});
