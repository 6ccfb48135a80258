import * as fc from "fast-check";
import { z } from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import type { AnySchema } from "../../ports/project.ts";
import { type Shape, tags } from "./shapes.ts";

/** The versions of Zod that a schema may be of. */
export type Version = 3 | 4 | "mini";
export const versions = fc.constantFrom<Version>(3, 4, "mini");

/** As the platform knows a schema: of any version. */
export function toSchema({ shape, version }: { shape: Shape; version: Version }): AnySchema {
  const build = { 3: toZod3, 4: toZod4, mini: toMini }[version];
  return build(shape) as unknown as AnySchema;
}

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
    case "nonoptional":
      return z.nonoptional(toZod4(shape.of));
    case "nullable":
      return toZod4(shape.of).nullable();
    case "list":
      return z.array(toZod4(shape.of));
    case "record":
      return z.record(z.string(), toZod4(shape.of));
    case "keyed":
      return z.record(z.enum(shape.names), toZod4(shape.of));
    case "lazy":
      return z.lazy(() => toZod4(shape.of));
    case "readonly":
      return toZod4(shape.of).readonly();
    case "brand":
      return toZod4(shape.of).brand("b");
    case "default":
      return toZod4(shape.of).default(shape.value);
    case "prefault":
      return toZod4(shape.of).prefault(shape.value);
    case "pipe":
      return z.pipe(toZod4(shape.from), toZod4(shape.to) as never);
    case "changed":
      return z.pipe(z.string()[shape.by](), toZod4(shape.to) as never);
    case "forged":
      return toZod4(shape.of).meta(shape.meta);
    case "object": {
      const fields = mapFields(shape.fields, toZod4);
      return shape.others === "text" ? z.object(fields).catchall(z.string()) : objectOf(shape.others, z, fields);
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
      return z.intersection(
        objectOf(shape.others, z, mapFields(shape.left, toZod4)),
        objectOf(shape.others, z, mapFields(shape.right, toZod4)),
      );
  }
}

const { trim, toLowerCase, toUpperCase, normalize } = mini;
const miniChanges = { trim, toLowerCase, toUpperCase, normalize, slugify: normalize };

/** As of Zod 4, with functions instead of methods. */
function toMini(shape: Shape): mini.ZodMiniType {
  switch (shape.kind) {
    case "literal":
      return mini.literal(shape.value);
    case "literals":
      return mini.literal(shape.values);
    case "enum":
      return mini.enum(shape.values);
    case "text":
      return mini.string();
    case "trimmed":
      return mini.string().check(mini.trim(), mini.minLength(2));
    case "lower":
      return mini.string().check(mini.toLowerCase());
    case "email":
      return mini.email();
    case "number":
      return mini.number();
    case "int":
      return mini.int().check(mini.minimum(1));
    case "boolean":
      return mini.boolean();
    case "null":
      return mini.null();
    case "any":
      return mini.any();
    case "optional":
      return mini.optional(toMini(shape.of));
    case "nonoptional":
      return mini.nonoptional(toMini(shape.of));
    case "nullable":
      return mini.nullable(toMini(shape.of));
    case "list":
      return mini.array(toMini(shape.of));
    case "record":
      return mini.record(mini.string(), toMini(shape.of));
    case "keyed":
      return mini.record(mini.enum(shape.names), toMini(shape.of));
    case "lazy":
      return mini.lazy(() => toMini(shape.of));
    case "readonly":
      return mini.readonly(toMini(shape.of));
    case "brand":
      return toMini(shape.of).brand("b");
    case "default":
      // oxlint-disable-next-line no-underscore-dangle -- its name in zod/mini
      return mini._default(toMini(shape.of), shape.value);
    case "prefault":
      return mini.prefault(toMini(shape.of), shape.value);
    case "pipe":
      return mini.pipe(toMini(shape.from), toMini(shape.to) as never);
    case "changed":
      return mini.pipe(mini.string().check(miniChanges[shape.by]()), toMini(shape.to) as never);
    case "forged":
      return toMini(shape.of).register(mini.globalRegistry, shape.meta);
    case "object": {
      const fields = mapFields(shape.fields, toMini);
      return shape.others === "text"
        ? mini.catchall(mini.object(fields), mini.string())
        : objectOf(shape.others, mini, fields);
    }
    case "union":
      return mini.union(shape.options.map(toMini));
    case "tagged":
      return mini.discriminatedUnion(
        "a",
        shape.options.map((fields, index) =>
          mini.object({ ...mapFields(fields, toMini), a: mini.literal(tags[index] ?? "z") }),
        ) as never,
      );
    case "both":
      return mini.intersection(
        objectOf(shape.others, mini, mapFields(shape.left, toMini)),
        objectOf(shape.others, mini, mapFields(shape.right, toMini)),
      );
  }
}

function objectOf<Field, Made>(
  others: "strip" | "strict" | "loose",
  zod: Record<"object" | "strictObject" | "looseObject", (fields: Record<string, Field>) => Made>,
  fields: Record<string, Field>,
): Made {
  return zod[({ strip: "object", strict: "strictObject", loose: "looseObject" } as const)[others]](fields);
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
    case "nonoptional":
      return toZod3(shape.of);
    case "nullable":
      return toZod3(shape.of).nullable();
    case "list":
      return z3.array(toZod3(shape.of));
    case "record":
      return z3.record(toZod3(shape.of));
    case "keyed":
      return z3.record(z3.enum(shape.names), toZod3(shape.of));
    case "lazy":
      return z3.lazy(() => toZod3(shape.of));
    case "readonly":
      return toZod3(shape.of).readonly();
    case "brand":
      return toZod3(shape.of).brand("b");
    case "default":
    case "prefault":
      return toZod3(shape.of).default(shape.value);
    case "pipe":
      return z3.ZodPipeline.create(toZod3(shape.from), toZod3(shape.to));
    case "changed": {
      const by = shape.by === "normalize" || shape.by === "slugify" ? "toLowerCase" : shape.by;
      return z3.ZodPipeline.create(z3.string()[by](), toZod3(shape.to));
    }
    case "forged":
      return toZod3(shape.of).describe(JSON.stringify(shape.meta));
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

function mapFields<T>(fields: Record<string, Shape>, to: (shape: Shape) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, to(field)]));
}
