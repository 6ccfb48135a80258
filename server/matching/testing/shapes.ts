import * as fc from "fast-check";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { Json } from "../../contract/json.ts";
import type { AnySchema } from "../../ports/project.ts";

/** A schema as people write them, regardless of the version of Zod. */
export type Shape =
  | { kind: "literal"; value: string | number | boolean | null; message?: "own" | "of the value" }
  | { kind: "literals"; values: (string | number | boolean | null)[] }
  | { kind: "enum"; values: [string, ...string[]] }
  | { kind: "text" | "trimmed" | "lower" | "email" | "number" | "int" | "boolean" | "null" | "any" }
  | { kind: "optional" | "nullable" | "list" | "record" | "lazy" | "readonly"; of: Shape }
  | { kind: "default"; of: Shape; value: Json }
  | { kind: "object"; others: "strip" | "strict" | "loose" | "text"; fields: Record<string, Shape> }
  | { kind: "union"; options: [Shape, Shape, ...Shape[]] }
  | { kind: "tagged"; options: Record<string, Shape>[] }
  | { kind: "both"; left: Record<string, Shape>; right: Record<string, Shape> };

function toZod4(shape: Shape): z.ZodType {
  switch (shape.kind) {
    case "literal":
      return z.literal(
        shape.value,
        shape.message === undefined
          ? undefined
          : shape.message === "own"
            ? "not this one"
            : { error: (issue) => `not ${JSON.stringify(issue.input)}` },
      );
    case "literals":
      return z.literal(shape.values);
    case "enum":
      return z.enum(shape.values);
    case "text":
      return z.string();
    case "trimmed":
      return z.string().trim().min(2);
    case "lower":
      return z.string().toLowerCase();
    case "email":
      return z.email();
    case "number":
      return z.number();
    case "int":
      return z.int().min(1);
    case "boolean":
      return z.boolean();
    case "null":
      return z.null();
    case "any":
      return z.any();
    case "optional":
      return toZod4(shape.of).optional();
    case "nullable":
      return toZod4(shape.of).nullable();
    case "list":
      return z.array(toZod4(shape.of));
    case "record":
      return z.record(z.string(), toZod4(shape.of));
    case "lazy":
      return z.lazy(() => toZod4(shape.of));
    case "readonly":
      return toZod4(shape.of).readonly();
    case "default":
      return toZod4(shape.of).default(shape.value);
    case "object": {
      const fields = mapFields(shape.fields, toZod4);
      if (shape.others === "text") return z.object(fields).catchall(z.string());
      return shape.others === "strip"
        ? z.object(fields)
        : shape.others === "strict"
          ? z.strictObject(fields)
          : z.looseObject(fields);
    }
    case "union":
      return z.union(shape.options.map(toZod4));
    case "tagged":
      return z.discriminatedUnion(
        "a",
        shape.options.map((fields, index) =>
          z.object({ ...mapFields(fields, toZod4), a: z.literal(tags[index] ?? "z") }),
        ) as never,
      );
    case "both":
      return z.intersection(z.object(mapFields(shape.left, toZod4)), z.object(mapFields(shape.right, toZod4)));
  }
}

function toZod3(shape: Shape): z3.ZodTypeAny {
  switch (shape.kind) {
    case "literal":
      if (shape.message === undefined) return z3.literal(shape.value);
      return z3.literal(shape.value, {
        errorMap: (issue, { data }) => ({
          message: shape.message === "own" ? `not this ${issue.code}` : `not ${JSON.stringify(data)}`,
        }),
      });
    case "literals":
      return z3.union(shape.values.map((value) => z3.literal(value)) as never);
    case "enum":
      return z3.enum(shape.values);
    case "text":
      return z3.string();
    case "trimmed":
      return z3.string().trim().min(2);
    case "lower":
      return z3.string().toLowerCase();
    case "email":
      return z3.string().email();
    case "number":
      return z3.number();
    case "int":
      return z3.number().int().min(1);
    case "boolean":
      return z3.boolean();
    case "null":
      return z3.null();
    case "any":
      return z3.any();
    case "optional":
      return toZod3(shape.of).optional();
    case "nullable":
      return toZod3(shape.of).nullable();
    case "list":
      return z3.array(toZod3(shape.of));
    case "record":
      return z3.record(toZod3(shape.of));
    case "lazy":
      return z3.lazy(() => toZod3(shape.of));
    case "readonly":
      return toZod3(shape.of).readonly();
    case "default":
      return toZod3(shape.of).default(shape.value);
    case "object": {
      const object = z3.object(mapFields(shape.fields, toZod3));
      if (shape.others === "text") return object.catchall(z3.string());
      return shape.others === "strip" ? object : shape.others === "strict" ? object.strict() : object.passthrough();
    }
    case "union":
      return z3.union(shape.options.map(toZod3) as never);
    case "tagged":
      return z3.discriminatedUnion(
        "a",
        shape.options.map((fields, index) =>
          z3.object({ ...mapFields(fields, toZod3), a: z3.literal(tags[index] ?? "z") }),
        ) as never,
      );
    case "both":
      return z3.intersection(z3.object(mapFields(shape.left, toZod3)), z3.object(mapFields(shape.right, toZod3)));
  }
}

/** As the platform knows a schema: of either version. */
export function toSchema({ shape, version }: { shape: Shape; version: 3 | 4 }): AnySchema {
  return (version === 4 ? toZod4(shape) : toZod3(shape)) as unknown as AnySchema;
}

const tags = ["x", "y", "z"];
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
            ),
            of: tie("shape"),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant("default" as const), of: tie("shape"), value: scalars }),
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
          arbitrary: fc.tuple(fields, fields).map(([left, right]): Shape => ({ kind: "both", left, right })),
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
          { kind: "both", left: {}, right: object.kind === "object" ? object.fields : {} },
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
    case "lazy":
    case "readonly":
    case "default":
      return bodiesNear(shape.of);
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

function mapFields<T>(fields: Record<string, Shape>, to: (shape: Shape) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, to(field)]));
}
