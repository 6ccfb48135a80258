import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { discriminatorsOf } from "./discriminators.ts";

/** By path: `{ "action": ["opened"], "sender.type": ["User"] }`. */
const read = (schema: JsonSchemaObject) =>
  Object.fromEntries(discriminatorsOf(schema).map(({ path, values }) => [path.join("."), [...values]]));
const object = (properties: JsonSchemaObject, required: Json = Object.keys(properties)): JsonSchemaObject => ({
  type: "object",
  properties,
  required,
});

describe("discriminatorsOf", () => {
  const found: [string, z.ZodType | z3.ZodTypeAny, Record<string, Json>][] = [
    ["a literal", z.object({ action: z.literal("opened"), id: z.number() }), { action: ["opened"] }],
    ["a literal in Zod 3", z3.object({ action: z3.literal("opened"), id: z3.number() }), { action: ["opened"] }],
    [
      "every kind of value",
      z.object({ a: z.literal(["x", 1, true, null]), b: z.null() }),
      { a: ["x", 1, true, null], b: [null] },
    ],
    ["an enum", z.object({ a: z.enum(["x", "y"]) }), { a: ["x", "y"] }],
    ["an enum in Zod 3", z3.object({ a: z3.enum(["x", "y"]).nullable() }), { a: ["x", "y", null] }],
    [
      "fields of objects in objects",
      z.object({ run: z.object({ conclusion: z.literal("failure"), head: z.object({ branch: z.literal("main") }) }) }),
      { "run.conclusion": ["failure"], "run.head.branch": ["main"] },
    ],
    ["a whole body that is fixed", z.enum(["ping", "pong"]), { "": ["ping", "pong"] }],
    ["a literal that is nullable", z.object({ a: z.literal("x").nullable() }), { a: ["x", null] }],
    [
      "both sides of an intersection",
      z.intersection(z.object({ a: z.literal("x"), b: z.enum(["p", "q"]) }), z.object({ b: z.enum(["q", "r"]) })),
      { a: ["x"], b: ["q"] },
    ],
    [
      "a union, where all options speak of the place",
      z.union([z.object({ a: z.literal("x"), b: z.literal(1) }), z.object({ a: z.literal("y") })]),
      { a: ["x", "y"] },
    ],
    [
      "a discriminated union",
      z.discriminatedUnion("a", [z.object({ a: z.literal("x") }), z.object({ a: z.enum(["y", "z"]) })]),
      { a: ["x", "y", "z"] },
    ],
    [
      "a discriminated union in Zod 3",
      z3.discriminatedUnion("a", [z3.object({ a: z3.literal("x") }), z3.object({ a: z3.literal("y") })]),
      { a: ["x", "y"] },
    ],
    ["the target of a reference", recursive(), { kind: ["folder"] }],
  ];
  test.each(found)("reads %s", (_, schema, expected) => {
    expect(read(exportSchema(schema))).toEqual(expected);
  });

  const nothing: [string, z.ZodType | z3.ZodTypeAny][] = [
    ["an optional field", z.object({ a: z.literal("x").optional() })],
    ["an optional object around it", z.object({ a: z.object({ b: z.literal("x") }).optional() })],
    ["a field with a default", z.object({ a: z.literal("x").default("x"), b: z.literal("y").prefault("y") })],
    ["a field with a default in Zod 3", z3.object({ a: z3.literal("x").default("x") })],
    ["a nullable object around it", z.object({ a: z.object({ b: z.literal("x") }).nullable() })],
    ["a union with an option that takes more", z.object({ a: z.union([z.literal("x"), z.string().min(3)]) })],
    [
      "a union whose options speak of different places",
      z.union([z.object({ a: z.literal("x") }), z.object({ b: z.literal("y") })]),
    ],
    [
      "items of lists and values of records",
      z.object({ a: z.array(z.literal("x")), b: z.record(z.string(), z.literal("x")), c: z.tuple([z.literal("x")]) }),
    ],
    [
      "patterns, formats and bounds",
      z.object({ a: z.string().regex(/^x$/i), b: z.email(), c: z.int().min(1).max(1), d: z.string().toLowerCase() }),
    ],
  ];
  test.each(nothing)("finds nothing in %s", (_, schema) => {
    expect(read(exportSchema(schema))).toEqual({});
  });

  test("uses only what is written for schemas that are not exported", () => {
    const x = { const: "x" };
    expect(read({ properties: { a: x }, required: ["a"] })).toEqual({});
    expect(read(object({ a: { default: "x", const: "x" } }))).toEqual({});
    expect(read(object({ a: { const: { b: 1 } }, c: { enum: ["x", []] }, d: { enum: [] } }))).toEqual({});
    expect(read(object({ a: x }, ["toString", "b", 1]))).toEqual({});
    expect(read(object({ a: { $ref: "https://example.com/x" }, b: { $ref: "#/$defs/missing" } }))).toEqual({});
    expect(
      read({
        ...object({ a: { $ref: "#/$defs/%FF" }, b: { $ref: "#/$defs/d%20e" }, c: { $ref: "#/$defs/f%20g" } }),
        $defs: { "%FF": x, "d e": x, "d%20e": { const: "y" }, "f g": x },
      }),
    ).toEqual({ a: ["x"], c: ["x"] });
    expect(read(object({ a: { $ref: "#" } }))).toEqual({});
    expect(
      read(JSON.parse('{"type":"object","properties":{"__proto__":{"const":"x"}},"required":["__proto__"]}')),
    ).toEqual({});
    expect(read({ ...object({ "a/b~c": { $ref: "#/$defs/d~1e%20f" } }), $defs: { "d/e f": x } })).toEqual({
      "a/b~c": ["x"],
    });
    expect(
      read({
        allOf: [{ $ref: "#/$defs/x" }, object({ b: x })],
        $defs: { x: object({ a: { anyOf: [x, { oneOf: [{ const: 1 }, { type: "null" }] }] } }) },
      }),
    ).toEqual({ a: ["x", 1, null], b: ["x"] });
  });
});

test("a schema whose definitions are shared a billion times is read in finite time, as far as it goes", () => {
  const fields = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
  const levels = Array.from({ length: 11 }, (_, level) => [
    String(level),
    object(Object.fromEntries(fields.map((name) => [name, { $ref: `#/$defs/${level + 1}` }]))),
  ]);
  const schema = {
    allOf: [object({ type: { const: "x" } }), { $ref: "#/$defs/0" }],
    $defs: { ...Object.fromEntries(levels), 11: { const: "end" } },
  };
  expect(read(schema)).toMatchObject({ type: ["x"] });
});

function recursive(): z.ZodType {
  const folder = z.object({
    kind: z.literal("folder"),
    get parent() {
      return folder.optional();
    },
  });
  return z.lazy(() => folder);
}
