import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";

/**
 * One level of a schema, of either version of Zod: what the export needs of it. `unknown` parts are schemas again. Each
 * statement is about the JSON as sent, before the schema changes it.
 */
export type ZodShape = ShapeOfKind & {
  /** Documentation: the keywords of JSON Schema that constrain nothing. */
  about: JsonSchemaObject;
  /** The name from `.meta({ id })`. */
  id: string | null;
  isSensitive: boolean;
  /** Its own checks change the value: the parsed value may differ from the JSON as sent. */
  changesValue: boolean;
  /** Whether it accepts a value. */
  accepts(value: Json): boolean;
};

export type ShapeOfKind =
  /** No statement about the value. */
  | { kind: "anything" }
  /** Strings, numbers, booleans, null and fixed values. `parsed`: keywords of the value after its changes. */
  | { kind: "scalar"; keywords: JsonSchemaObject; parsed?: JsonSchemaObject }
  | { kind: "array"; item: unknown; keywords: JsonSchemaObject }
  /** `rest: null`: no further items. `minItems`: the items before it are required. */
  | { kind: "tuple"; items: readonly unknown[]; rest: unknown; minItems: number; keywords: JsonSchemaObject }
  /** `others`: the fields that it does not name; a schema if they must match one. */
  | { kind: "object"; fields: readonly Field[]; others: "dropped" | "kept" | "rejected" | { schema: unknown } }
  /** `names`: the only possible keys, `null` for any number of keys. A loose record ignores keys that do not match. */
  | {
      kind: "record";
      key: unknown;
      value: unknown;
      names: readonly string[] | null;
      areRequired: boolean;
      isLoose: boolean;
    }
  | { kind: "union"; options: readonly unknown[] }
  /** `sharesKeys`: a key that one side rejects is accepted if the other side names it. */
  | { kind: "intersection"; sides: readonly unknown[]; sharesKeys: boolean }
  /** The same value; `suppliesValue`: a missing one is replaced. */
  | { kind: "wrapper"; inner: unknown; isNullable: boolean; suppliesValue: boolean }
  /** `to` parses the output of `from`. */
  | { kind: "pipe"; from: unknown; to: unknown };

export interface Field {
  name: string;
  schema: unknown;
  isRequired: boolean;
}

/** The same value. */
export function wrap(inner: unknown, { isNullable = false, suppliesValue = false } = {}): ShapeOfKind {
  return { kind: "wrapper", inner, isNullable, suppliesValue };
}

/** The schemas inside a shape. */
export function partsOf(shape: ShapeOfKind): unknown[] {
  switch (shape.kind) {
    case "anything":
    case "scalar":
      return [];
    case "array":
      return [shape.item];
    case "tuple":
      return shape.rest === null ? [...shape.items] : [...shape.items, shape.rest];
    case "object":
      return [
        ...shape.fields.map(({ schema }) => schema),
        ...(typeof shape.others === "object" ? [shape.others.schema] : []),
      ];
    case "record":
      return [shape.key, shape.value];
    case "union":
      return [...shape.options];
    case "intersection":
      return [...shape.sides];
    case "wrapper":
      return [shape.inner];
    case "pipe":
      return [shape.from, shape.to];
  }
}

/** The tightest bounds of a length or a number, as checks add them. */
export class Bounds {
  private readonly found: Record<string, number> = {};

  min(keyword: string, value: unknown): void {
    this.add(keyword, value, Math.max);
  }

  max(keyword: string, value: unknown): void {
    this.add(keyword, value, Math.min);
  }

  /** JSON has no NaN and no Infinity, and both bound nothing that it has. */
  private add(keyword: string, value: unknown, pick: (...values: number[]) => number): void {
    if (typeof value !== "number" || !Number.isFinite(value)) return;
    this.found[keyword] = pick(this.found[keyword] ?? value, value);
  }

  /** An exclusive bound replaces an inclusive one that is not tighter, and is dropped otherwise. */
  keywords(): JsonSchemaObject {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...others } = this.found;
    const isAbove = exclusiveMinimum !== undefined && exclusiveMinimum >= (minimum ?? -Infinity);
    const isBelow = exclusiveMaximum !== undefined && exclusiveMaximum <= (maximum ?? Infinity);
    return {
      ...others,
      ...(isAbove ? { exclusiveMinimum } : minimum !== undefined ? { minimum } : {}),
      ...(isBelow ? { exclusiveMaximum } : maximum !== undefined ? { maximum } : {}),
    };
  }
}

/** The keywords of patterns, all of which apply. */
export function patternKeywords(patterns: readonly string[]): JsonSchemaObject {
  const [pattern, ...others] = new Set(patterns);
  if (pattern === undefined) return {};
  return others.length === 0 ? { pattern } : { allOf: [pattern, ...others].map((each) => ({ pattern: each })) };
}

/** The source of an expression; `null`: JSON Schema does not have its flags. */
export function patternOf(regex: RegExp): string | null {
  return /[imsvy]/.test(regex.flags) ? null : regex.source;
}

/** The pattern of a literal string; `null`: half a character, which a pattern does not match in a whole one. */
export function literalPattern(text: unknown, { before = "", after = "" } = {}): string | null {
  if (typeof text !== "string" || !text.isWellFormed()) return null;
  return `${before}${text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")}${after}`;
}

/** One of these values. Infinity may be in a body (`1e999`), but not in JSON Schema. */
export function fixedKeywords(values: readonly unknown[], { isList = values.length > 1 } = {}): JsonSchemaObject {
  const known = values.filter(isFixed);
  const type = typeOf(known);
  if (values.some((value) => value === Infinity || value === -Infinity)) return type === null ? {} : { type };
  if (known.length === 0) return { not: {} };
  const [first] = known;
  if (known.length === 1 && first !== undefined && !isList)
    return first === null ? { type: "null" } : { type: typeof first, const: first };
  return { ...(type !== null && { type }), enum: known };
}

type Fixed = string | number | boolean | null;

function isFixed(value: unknown): value is Fixed {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && !Number.isNaN(value))
  );
}

function typeOf(values: readonly Fixed[]): string | null {
  const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  const [type = null] = types;
  return types.size === 1 ? type : null;
}
