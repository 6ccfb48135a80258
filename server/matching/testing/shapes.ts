import * as fc from "fast-check";
import type { Json } from "../../contract/json.ts";

/** A schema as people write them, regardless of the version of Zod. */
export type Shape =
  | { kind: "literal"; value: string | number | boolean | null; message?: "own" | "of the value" }
  | { kind: "literals"; values: (string | number | boolean | null)[] }
  | { kind: "enum"; values: [string, ...string[]] }
  | { kind: "text" | "trimmed" | "lower" | "email" | "number" | "int" | "boolean" | "null" | "any" }
  | { kind: "optional" | "nullable" | "nonoptional" | "list" | "record" | "lazy" | "readonly" | "brand"; of: Shape }
  | { kind: "default" | "prefault"; of: Shape; value: Json }
  | { kind: "pipe"; from: Shape; to: Shape }
  /** A string that the schema changes, and then compares. */
  | { kind: "changed"; by: Change; to: Shape }
  /** With a keyword of JSON Schema in its metadata. */
  | { kind: "forged"; of: Shape; meta: Record<string, Json> }
  | { kind: "keyed"; names: [string, ...string[]]; of: Shape }
  | { kind: "object"; others: "strip" | "strict" | "loose" | "text"; fields: Record<string, Shape> }
  | { kind: "union"; options: [Shape, Shape, ...Shape[]] }
  | { kind: "tagged"; options: Record<string, Shape>[] }
  | { kind: "both"; others: "strip" | "strict" | "loose"; left: Record<string, Shape>; right: Record<string, Shape> };

type Change = "trim" | "toLowerCase" | "toUpperCase" | "normalize" | "slugify";

/** The discriminating values of the options of `tagged`. */
export const tags = ["x", "y", "z"];
const names = fc.constantFrom("a", "b", "c", "a/b", "2", "1", "toString", "constructor");
/** Few enough that bodies meet them. */
const scalars = fc.constantFrom<string | number | boolean | null>(
  "x",
  "y",
  "z",
  "",
  0,
  -0,
  1,
  2 ** 53,
  1.5,
  true,
  false,
  null,
);

const changes = fc.constantFrom<Change>("trim", "toLowerCase", "toUpperCase", "normalize", "slugify");

/** Every keyword that constrains a value, with values that would exclude most bodies. */
const forgedMeta = fc.constantFrom<Record<string, Json>>(
  { enum: ["forged"] },
  { const: "forged" },
  { type: "null" },
  { not: {} },
  { allOf: [{ const: "forged" }] },
  { anyOf: [{ const: "forged" }] },
  { oneOf: [] },
  { if: {}, else: false },
  { required: ["forged"], minProperties: 9, properties: { a: { const: "forged" } } },
  { additionalProperties: false, patternProperties: { "": false }, propertyNames: false },
  { items: false, prefixItems: [{ const: "forged" }], minItems: 9, contains: { const: "forged" } },
  { minLength: 99, pattern: "^forged$", format: "email", minimum: 9_999, maximum: -9_999, multipleOf: 7 },
  { $ref: "#/$defs/forged", $defs: { forged: { const: "forged" } } },
  { default: "forged", nullable: true, title: "Documentation", examples: ["forged"] },
  { dependentRequired: { a: ["forged"] }, unevaluatedProperties: false, $dynamicRef: "#forged" },
);

export const shapes: fc.Arbitrary<Shape> = fc
  .letrec<{ shape: Shape; fields: Record<string, Shape>; object: Shape }>((tie) => {
    const fields = fc.dictionary(names, tie("shape"), { maxKeys: 4, noNullPrototype: true });
    return {
      fields,
      object: fc.record({
        kind: fc.constant("object" as const),
        others: fc.constantFrom(
          "strip" as const,
          "strip" as const,
          "strip" as const,
          "strict" as const,
          "loose" as const,
          "text" as const,
        ),
        fields,
      }),
      shape: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        { weight: 6, arbitrary: fc.record({ kind: fc.constant("literal" as const), value: scalars }) },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant("literal" as const),
            value: scalars,
            message: fc.constantFrom("own" as const, "of the value" as const),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant("literals" as const),
            values: fc.array(scalars, { minLength: 2, maxLength: 3 }),
          }),
        },
        {
          weight: 3,
          arbitrary: fc.constantFrom<Shape>({ kind: "enum", values: ["x", "y"] }, { kind: "enum", values: ["z"] }),
        },
        {
          weight: 3,
          arbitrary: fc
            .constantFrom("text", "trimmed", "lower", "email", "number", "int", "boolean", "null", "any")
            .map((kind): Shape => ({ kind }) as Shape),
        },
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constantFrom(
              "optional" as const,
              "nullable" as const,
              "list" as const,
              "record" as const,
              "lazy" as const,
              "readonly" as const,
              "nonoptional" as const,
              "brand" as const,
            ),
            of: tie("shape"),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constantFrom("default" as const, "prefault" as const),
            of: tie("shape"),
            value: scalars,
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({ kind: fc.constant("pipe" as const), from: tie("shape"), to: tie("shape") }),
        },
        {
          weight: 3,
          arbitrary: fc.record({ kind: fc.constant("changed" as const), by: changes, to: tie("shape") }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant("forged" as const), of: tie("shape"), meta: forgedMeta }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant("keyed" as const),
            names: fc.constantFrom<[string, ...string[]]>(["a"], ["a", "b"]),
            of: tie("shape"),
          }),
        },
        { weight: 10, arbitrary: tie("object") },
        {
          weight: 1,
          arbitrary: fc
            .array(tie("shape"), { minLength: 2, maxLength: 3 })
            .map((options): Shape => ({ kind: "union", options: options as [Shape, Shape] })),
        },
        {
          weight: 1,
          arbitrary: fc
            .array(fields, { minLength: 1, maxLength: 3 })
            .map((options): Shape => ({ kind: "tagged", options })),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant("both" as const),
            others: fc.constantFrom("strip" as const, "strict" as const, "loose" as const),
            left: fields,
            right: fields,
          }),
        },
      ),
    };
  })
  .object.chain((object) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(object) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Shape>(
          { kind: "union", options: [object, object] },
          { kind: "lazy", of: object },
          { kind: "both", others: "strip", left: {}, right: object.kind === "object" ? object.fields : {} },
        ),
      },
    ),
  );

const junk: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalars },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(
      Infinity,
      [],
      {},
      ["x"],
      { a: "x" },
      { a: { a: "x" } },
      "ada@example.com",
      " X ",
      "X",
      "'\"\\",
      "\ud800",
      "long ".repeat(40),
    ),
  },
);

/** Bodies that mostly match, and fail at few paths. */
export function bodiesNear(shape: Shape): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 9, arbitrary: fitting(shape) }, { weight: 2, arbitrary: junk });
}

function fitting(shape: Shape): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case "literal":
      return fc.constant(shape.value);
    case "literals":
    case "enum":
      return fc.constantFrom<Json>(...shape.values);
    case "text":
    case "lower":
    case "any":
      return fc.constantFrom("x", "X", "other");
    case "trimmed":
      return fc.constantFrom(" xy ", " x ");
    case "email":
      return fc.constant("ada@example.com");
    case "number":
    case "int":
      return fc.constantFrom(1, 2, 0);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "optional":
    case "nonoptional":
    case "lazy":
    case "readonly":
    case "brand":
    case "default":
    case "prefault":
    case "forged":
      return bodiesNear(shape.of);
    case "pipe":
      return fc.oneof(bodiesNear(shape.from), bodiesNear(shape.to));
    case "changed":
      // Other strings that become the same one.
      return bodiesNear(shape.to).chain((body): fc.Arbitrary<Json> =>
        typeof body === "string"
          ? fc.constantFrom(body, body.toUpperCase(), ` ${body} `, body.toLowerCase())
          : fc.constant(body),
      );
    case "keyed":
      return fittingFields(Object.fromEntries(shape.names.map((name) => [name, shape.of])));
    case "nullable":
      return fc.oneof(fc.constant(null), bodiesNear(shape.of));
    case "list":
      return fc.array(bodiesNear(shape.of), { maxLength: 2 });
    case "record":
      return fc.dictionary(names, bodiesNear(shape.of), { maxKeys: 2, noNullPrototype: true });
    case "object":
      return fittingFields(shape.fields);
    case "union":
      return fc.oneof(...shape.options.map(bodiesNear));
    case "tagged":
      return fc.oneof(
        ...shape.options.map((fields, index) =>
          fittingFields({ ...fields, a: { kind: "literal", value: tags[index] ?? "z" } }),
        ),
      );
    case "both":
      return fittingFields({ ...shape.left, ...shape.right });
  }
}

function fittingFields(fields: Record<string, Shape>): fc.Arbitrary<Json> {
  const present = Object.entries(fields).map(([name, field]) =>
    fc.option(bodiesNear(field), { freq: 12, nil: undefined }).map((value) => [name, value] as const),
  );
  const other = fc.option(fc.tuple(names, junk), { freq: 3 });
  return fc.tuple(fc.tuple(...present), other).map(([entries, extra]) => {
    const all = [
      ...(extra ? [extra] : []),
      ...entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ];
    return Object.fromEntries(all);
  });
}
