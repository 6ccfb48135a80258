import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { exampleBody } from "../../../server/shared/schema/example-body.ts";
import { sensitiveKeyword } from "../../../server/domain/privacy/sensitive-schema.ts";
import { readZod3 } from "./read-zod3.ts";
import { readZod4 } from "./read-zod4.ts";
import { type Keywords, renderSchema, SchemaPart } from "./schema-part.ts";
import { isZod3, isZod4 } from "./zod-node.ts";
import { fixedKeywords, partsOf, type ZodShape } from "./zod-shape.ts";

/**
 * The JSON Schema (2020-12) of the JSON that a schema accepts, before it changes anything. Everything it says follows
 * from Zod accepting the value: Zod may reject a value that the export accepts, never the reverse. So what Zod checks
 * after a change (`.trim()`, a default, the second part of a pipe) is not exported; marks of sensitive values are.
 * Requires a schema without findings of lintSchema. Of a tool, whose schema may contain code, it exports what is around
 * the code.
 */
export function exportSchema(schema: unknown): JsonSchemaObject {
  if (!isZod4(schema) && !isZod3(schema)) throw new TypeError("Not a Zod schema");
  return renderSchema(new Exporter().part(schema, "all"));
}

/**
 * What is exported of a schema. `all`: everything. `open`: without the keys that it rejects, because the other side of
 * an intersection may accept them. `marks`: only which values are sensitive. `parsed`: of the value after its changes.
 */
type Extent = "all" | "open" | "marks" | "parsed";

class Exporter {
  private readonly parts: Record<Extent, Map<unknown, SchemaPart>> = {
    all: new Map(),
    open: new Map(),
    marks: new Map(),
    parsed: new Map(),
  };
  private readonly shapes = new Map<unknown, ZodShape>();
  /** Equal parts are one part. */
  private readonly byText = new Map<string, SchemaPart>();

  part(schema: unknown, extent: Extent): SchemaPart {
    const known = this.parts[extent].get(schema);
    if (known) {
      known.isRecursive ||= known.keywords === null;
      return known;
    }
    const shape = this.read(schema);
    const part = new SchemaPart(shape.id);
    this.parts[extent].set(schema, part);
    part.keywords = {
      ...this.describe(shape, extent),
      ...(extent !== "marks" && shape.about),
      ...(shape.isSensitive && { [sensitiveKeyword]: true }),
    };
    if (extent === "all") Object.assign(part.keywords, this.exampleOf(schema, shape, part));
    const twin = part.isRecursive ? part : this.findTwin(part);
    this.parts[extent].set(schema, twin);
    return twin;
  }

  private findTwin(part: SchemaPart): SchemaPart {
    const { $ref, ...others } = part.keywords ?? {};
    if ($ref instanceof SchemaPart && Object.keys(others).length === 0) return $ref;
    const text = part.text();
    const twin = this.byText.get(text) ?? part;
    this.byText.set(text, twin);
    return twin;
  }

  private read(schema: unknown): ZodShape {
    const known = this.shapes.get(schema);
    const shape = known ?? readShape(schema);
    this.shapes.set(schema, shape);
    return shape;
  }

  /** An example, if none follows from the export because Zod requires more of the value. */
  private exampleOf(schema: unknown, shape: ZodShape, part: SchemaPart): Keywords | null {
    const saysLess =
      shape.kind === "pipe" ? !this.isUnchanged(shape.from) : shape.kind === "scalar" && shape.changesValue;
    if (!saysLess || shape.accepts(exampleBody(renderSchema(part), null))) return null;
    const value = exampleBody(renderSchema(this.part(schema, "parsed")), null);
    return shape.accepts(value) ? { examples: [value] } : null;
  }

  private describe(shape: ZodShape, extent: Extent): Keywords {
    const part = (child: unknown): SchemaPart => this.part(child, extent === "open" ? "all" : extent);
    const isMarks = extent === "marks";
    switch (shape.kind) {
      case "anything":
        return {};
      case "scalar":
        return isMarks ? {} : { ...((extent === "parsed" && shape.parsed) || shape.keywords) };
      case "array":
        return { ...(!isMarks && { type: "array", ...shape.keywords }), items: part(shape.item) };
      case "tuple": {
        const { items, rest, minItems, keywords } = shape;
        return {
          ...(!isMarks && { type: "array" }),
          ...(items.length > 0 && { prefixItems: items.map(part) }),
          ...(rest !== null ? { items: part(rest) } : !isMarks && { items: false }),
          ...(!isMarks && minItems > 0 && { minItems }),
          ...(!isMarks && rest === null && { maxItems: items.length }),
          ...(!isMarks && keywords),
        };
      }
      case "object":
        return this.describeObject(shape, extent, part);
      case "record":
        return this.describeRecord(shape, extent, part);
      case "union": {
        const options = shape.options.map((option) => this.part(option, extent));
        return joinFixed(options) ?? (options.length === 0 ? { not: {} } : { anyOf: options });
      }
      case "intersection": {
        const sides = shape.sides.map((side) =>
          this.part(side, extent === "all" && shape.sharesKeys ? "open" : extent),
        );
        return joinObjects(sides) ?? { allOf: sides };
      }
      case "wrapper": {
        const inner = this.part(shape.inner, extent);
        return shape.isNullable && !isMarks
          ? { anyOf: [inner, new SchemaPart(null, { type: "null" })] }
          : { $ref: inner };
      }
      case "pipe":
        return this.describePipe(shape, extent);
    }
  }

  private describeObject(
    { fields, others }: Extract<ZodShape, { kind: "object" }>,
    extent: Extent,
    part: (child: unknown) => SchemaPart,
  ): Keywords {
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const isMarks = extent === "marks";
    return {
      ...(!isMarks && { type: "object" }),
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, part(schema)])),
      ...(!isMarks && required.length > 0 && { required }),
      ...(typeof others === "object" && { additionalProperties: part(others.schema) }),
      ...(others === "kept" && !isMarks && { additionalProperties: {} }),
      ...(others === "rejected" && !isMarks && extent !== "open" && { additionalProperties: false }),
    };
  }

  /** A record with sensitive keys is sensitive as a whole. */
  private describeRecord(
    { key, value, names, areRequired, isLoose }: Extract<ZodShape, { kind: "record" }>,
    extent: Extent,
    part: (child: unknown) => SchemaPart,
  ): Keywords {
    const mark = this.reachesMark(key) && { [sensitiveKeyword]: true };
    if (extent === "marks") return { additionalProperties: part(value), ...mark };
    const required = areRequired && names !== null && names.length > 0 && { required: [...names] };
    const keyPart = this.part(key, "all");
    const isAnyKey = keyPart.text() === anyString;
    // A key that does not match is ignored, or may be accepted by the other side of an intersection.
    if (isLoose || (extent === "open" && !isAnyKey))
      return {
        type: "object",
        ...(names !== null && { properties: Object.fromEntries(names.map((name) => [name, part(value)])) }),
        ...(this.reachesMark(value) && {
          allOf: [new SchemaPart(null, { additionalProperties: this.part(value, "marks") })],
        }),
        ...required,
        ...mark,
      };
    const propertyNames = names !== null ? { enum: [...names] } : isAnyKey || !keyPart.isString() ? null : keyPart;
    return {
      type: "object",
      ...(propertyNames && { propertyNames }),
      additionalProperties: part(value),
      ...required,
      ...mark,
    };
  }

  private describePipe({ from, to }: Extract<ZodShape, { kind: "pipe" }>, extent: Extent): Keywords {
    const first = this.part(from, extent);
    if (extent === "parsed" || (extent === "all" && this.isUnchanged(from)))
      return { allOf: [first, this.part(to, extent)] };
    return this.reachesMark(to) ? { allOf: [first, this.part(to, "marks")] } : { $ref: first };
  }

  /** Whether the parsed value always equals the JSON as sent. */
  private isUnchanged(schema: unknown): boolean {
    return !this.reaches(schema, (shape) => shape.changesValue || !keepsValue(shape));
  }

  private reachesMark(schema: unknown): boolean {
    return this.reaches(schema, ({ isSensitive }) => isSensitive);
  }

  private reaches(schema: unknown, test: (shape: ZodShape) => boolean, seen = new Set<unknown>()): boolean {
    if (seen.has(schema)) return false;
    seen.add(schema);
    const shape = this.read(schema);
    return test(shape) || partsOf(shape).some((part) => this.reaches(part, test, seen));
  }
}

function readShape(schema: unknown): ZodShape {
  if (isZod4(schema)) return readZod4(schema);
  if (isZod3(schema)) return readZod3(schema);
  return { kind: "anything", about: {}, id: null, isSensitive: false, changesValue: false, accepts: () => false };
}

const anyString = new SchemaPart(null, { type: "string" }).text();

/** Whether a shape leaves the value as it is if its parts do. */
function keepsValue(shape: ZodShape): boolean {
  switch (shape.kind) {
    case "anything":
      return false;
    case "tuple":
      return shape.minItems === shape.items.length;
    case "object":
      return shape.others !== "dropped";
    case "record":
      return shape.names === null && !shape.isLoose;
    case "wrapper":
      return !shape.suppliesValue;
    default:
      return true;
  }
}

/** Two plain objects with different fields are one object; `null`: they are not that. */
function joinObjects(sides: readonly SchemaPart[]): Keywords | null {
  const plain = sides.flatMap(({ keywords }) => {
    const { type, properties = {}, required = [], ...others } = keywords ?? {};
    return type === "object" && Array.isArray(required) && Object.keys(others).length === 0
      ? [{ properties: properties as Readonly<Record<string, SchemaPart>>, required: required as string[] }]
      : [];
  });
  const names = plain.flatMap(({ properties }) => Object.keys(properties));
  if (plain.length < sides.length || new Set(names).size < names.length) return null;
  const required = plain.flatMap((side) => side.required);
  return {
    type: "object",
    properties: Object.fromEntries(plain.flatMap(({ properties }) => Object.entries(properties))),
    ...(required.length > 0 && { required }),
  };
}

/** A union of fixed values is one list of values; `null`: it is another union. */
function joinFixed(options: readonly SchemaPart[]): Keywords | null {
  const lists = options.map(({ keywords }) => (keywords === null ? null : fixedValues(keywords)));
  if (lists.length < 2 || !lists.every((list) => list !== null)) return null;
  return fixedKeywords([...new Set(lists.flat())]);
}

function fixedValues(keywords: Keywords): Json[] | null {
  if (Object.keys(keywords).some((keyword) => !["type", "const", "enum"].includes(keyword))) return null;
  const { const: value, enum: values } = keywords;
  if (Array.isArray(values)) return values as Json[];
  return value === undefined ? null : [value as Json];
}
