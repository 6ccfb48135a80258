import * as fc from "fast-check";
import type { Draw } from "./draw.ts";

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
  format?: string;
  example?: unknown;
  examples?: unknown[];
  default?: unknown;
}

const maxDepth = 6;
const strings = [
  "",
  "a",
  "signup",
  "7d",
  "-P1D",
  "2026-01-01T00:00:00Z",
  "9999999999999999999",
  "run_",
  "dlv_",
  "*",
  "%",
  "'",
  "\\",
  "\u0000",
  "\ud800",
  "ſ",
  "constructor",
];

/** A value that mostly fits the schema. `resolve` finds what `$ref` names. */
export function valueOfSchema(
  draw: Draw,
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
  depth = 0,
): unknown {
  const again = (inner: JsonSchema) => valueOfSchema(draw, inner, resolve, depth + 1);
  if (depth > maxDepth || draw.chance(0.03)) return draw.of(fc.jsonValue({ maxDepth: 2 }));
  if (schema.$ref !== undefined) return again(resolve(schema.$ref));
  if (schema.const !== undefined) return schema.const;
  const known = [schema.example, schema.default, ...(schema.examples ?? [])].filter((value) => value !== undefined);
  if (known.length > 0 && draw.chance(0.5)) return draw.pick(known);
  if (schema.enum && schema.enum.length > 0) return draw.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && choices.length > 0) return again(draw.pick(choices));
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(again));
  const type = Array.isArray(schema.type) ? draw.pick(schema.type) : schema.type;
  return valueOfType(draw, type, schema, again);
}

function valueOfType(
  draw: Draw,
  type: string | undefined,
  schema: JsonSchema,
  again: (inner: JsonSchema) => unknown,
): unknown {
  switch (type) {
    case "object":
      return valueOfObject(draw, schema, again);
    case "array":
      return Array.from({ length: draw.between(0, 3) }, () => again(schema.items ?? {}));
    case "integer":
    case "number":
      return draw.between(Math.max(schema.minimum ?? -5, -1e9), Math.min(schema.maximum ?? 1_000, 1e9));
    case "boolean":
      return draw.chance(0.5);
    case "null":
      return null;
    case "string":
      return draw.chance(0.7) ? draw.pick(strings) : draw.of(fc.string({ maxLength: 30, unit: "binary" }));
    default:
      return draw.of(fc.jsonValue({ maxDepth: 2 }));
  }
}

function valueOfObject(draw: Draw, schema: JsonSchema, again: (inner: JsonSchema) => unknown): object {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties).filter((name) => required.includes(name) || draw.chance(0.4));
  const named = names.map((name) => [name, again(properties[name] ?? {})] as const);
  const others =
    typeof additionalProperties === "object"
      ? Array.from({ length: draw.between(0, 2) }, () => [draw.pick(strings), again(additionalProperties)] as const)
      : [];
  return Object.fromEntries([...named, ...others]);
}
