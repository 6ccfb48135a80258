import { describe, expect, test } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { type FormNode, adaptSchema } from "./adapt-schema.ts";
import { emptyDraft, startDraft } from "../draft/new-draft.ts";
import { draftToJson, memberOf } from "../draft/draft.ts";

const adapt = (schema: z.ZodType): FormNode => {
  const exported = exportSchema(schema);
  return adaptSchema(exported, exported);
};
const shape = (node: FormNode) =>
  node.kind === "union"
    ? { kind: node.kind, options: node.options.map(({ title }) => title), isNullable: node.isNullable }
    : { kind: node.kind, isNullable: node.isNullable };
const empty = (schema: z.ZodType) => {
  const exported = exportSchema(schema);
  const draft = emptyDraft(exported, exported);
  return draft && draftToJson(draft);
};

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
  get parent() {
    return Tree.optional();
  },
});

describe("a schema is entered as", () => {
  test.each<[string, z.ZodType, unknown]>([
    ["text", z.string().trim().min(1), { kind: "text", isNullable: false }],
    ["text that may be null", z.string().nullable(), { kind: "text", isNullable: true }],
    ["a number", z.int().min(0), { kind: "number", isNullable: false }],
    [
      "one of several values, also written as a union",
      z.union([z.literal("a"), z.literal(2)]),
      { kind: "choice", isNullable: false },
    ],
    ["one of several values or null", z.enum(["a", "b"]).nullable(), { kind: "choice", isNullable: true }],
    ["any JSON", z.json(), { kind: "json", isNullable: false }],
    ["any JSON for what says nothing", z.unknown(), { kind: "json", isNullable: false }],
    ["a tuple", z.tuple([z.string()], z.number()), { kind: "tuple", isNullable: false }],
    [
      "an object for an intersection",
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      { kind: "object", isNullable: false },
    ],
    ["text for a pipe", z.string().trim().pipe(z.email()), { kind: "text", isNullable: false }],
    ["an object for a recursive one", Tree, { kind: "object", isNullable: false }],
    [
      "alternatives named by their types",
      z.union([z.string(), z.number(), z.array(z.string())]),
      { kind: "union", options: ["string", "number", "array of string"], isNullable: false },
    ],
    [
      "alternatives without null",
      z.union([z.string().nullable(), z.number()]),
      { kind: "union", options: ["string", "number"], isNullable: true },
    ],
    [
      "alternatives named by what tells them apart",
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("card") }),
        z.object({ type: z.literal("sepa"), iban: z.string() }),
      ]),
      { kind: "union", options: ["card", "sepa"], isNullable: false },
    ],
    [
      "alternatives named by their titles",
      z.union([z.object({ a: z.string() }).meta({ title: "Person" }), z.object({ b: z.string() })]),
      { kind: "union", options: ["Person", "with b"], isNullable: false },
    ],
    [
      "alternatives of a union in a union",
      z.union([z.boolean(), z.union([z.string(), z.number()])]),
      { kind: "union", options: ["boolean", "string", "number"], isNullable: false },
    ],
    [
      "alternatives that share what stands beside them",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).and(z.object({ c: z.string() })),
      { kind: "union", options: ["with a", "with b"], isNullable: false },
    ],
  ])("%s", (_, schema, expected) => {
    expect(shape(adapt(schema))).toEqual(expected);
  });

  test("a field for each key of a record with fixed keys, and rows for other records", () => {
    expect(adapt(z.record(z.enum(["a", "b"]), z.number()))).toMatchObject({
      kind: "object",
      properties: [
        { name: "a", isRequired: true },
        { name: "b", isRequired: true },
      ],
      rest: "forbidden",
    });
    expect(adapt(z.record(z.string(), z.number()))).toMatchObject({
      kind: "object",
      properties: [],
      rest: { type: "number" },
    });
    expect(adapt(z.strictObject({ a: z.string() }))).toMatchObject({ rest: "forbidden" });
    expect(adapt(z.object({ a: z.string() }))).toMatchObject({ rest: "ignored" });
    expect(adapt(z.looseObject({ a: z.string() }))).toMatchObject({ rest: {} });
  });

  test("the target of `$ref`, with escaped names, and without endless recursion", () => {
    const root = { $defs: { "a/b ~": { type: "string" }, loop: { $ref: "#/$defs/loop" } } };
    expect(adaptSchema({ $ref: "#/$defs/a~1b%20~0" }, root).kind).toBe("text");
    expect(adaptSchema({ $ref: "#/$defs/loop" }, root).kind).toBe("json");
    expect(adaptSchema({ $ref: "#/$defs/missing" }, root).kind).toBe("json");
  });
});

describe("an empty form", () => {
  test("has defaults, fixed values and required parts, and leaves out the rest", () => {
    const schema = z.object({
      type: z.literal("paid"),
      retries: z.int().default(3),
      note: z.string().optional(),
      name: z.string(),
      is: z.boolean(),
      tags: z.array(z.string()).min(1),
      nothing: z.string().nullable(),
      customer: z.object({ country: z.string().default("DE"), city: z.string() }),
      list: z.array(z.int()).default([1]),
      when: z.string().nullish(),
    });
    expect(empty(schema)).toEqual({
      type: "paid",
      retries: 3,
      is: false,
      tags: [""],
      nothing: null,
      customer: { country: "DE" },
      list: [1],
    });
  });

  test("ends at a recursive schema, and prefers an alternative that is not recursive", () => {
    expect(empty(Tree)).toEqual({ children: [] });
    const Expression: z.ZodType = z.lazy(() =>
      z.union([z.object({ left: Expression, right: Expression }), z.object({ value: z.literal(1) })]),
    );
    expect(empty(Expression)).toEqual({ value: 1 });
    const Endless = z.object({
      get inner() {
        return Endless;
      },
    });
    expect(empty(Endless)).toEqual({});
    const Chain = z.object({
      get next() {
        return z.array(Chain).min(1);
      },
    });
    expect(empty(Chain)).toEqual({ next: [{}] });
  });

  test("gives every added field an initial value", () => {
    const schema = exportSchema(z.object({ a: z.int() }).nullable());
    expect(draftToJson(startDraft(schema, schema))).toBeNull();
    expect(draftToJson(startDraft(schema, schema, true))).toEqual({});
    const choice = exportSchema(z.object({ of: z.enum(["x", "y"]) }));
    expect(memberOf(startDraft(choice, choice), "of")).toBeUndefined();
  });
});
