import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { isObject, listOf, resolveRef } from "../../../server/shared/schema/json-schema.ts";

/** The schema that every value matches, and the schema that no value matches. */
export const anything: JsonSchemaObject = {};
export const never: JsonSchemaObject = { not: {} };

/** `true` and `false` are valid JSON Schemas, too. */
export function asSchema(value: Json | undefined): JsonSchemaObject {
  if (value === false) return never;
  return isObject(value) ? value : anything;
}

export function schemasIn(value: Json | undefined): JsonSchemaObject[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}

const flattened = new WeakMap<JsonSchemaObject, WeakMap<JsonSchemaObject, JsonSchemaObject>>();

/**
 * Merges `$ref` and `allOf` at the top of a schema into one schema. Does not look deeper, so recursive schemas are
 * safe.
 */
export function flatten(schema: JsonSchemaObject, root: JsonSchemaObject): JsonSchemaObject {
  const known = flattened.get(root) ?? new WeakMap<JsonSchemaObject, JsonSchemaObject>();
  flattened.set(root, known);
  const before = known.get(schema);
  if (before) return before;
  const parts = partsOf(schema, root, new Set());
  const flat = parts.length === 1 && parts[0] ? parts[0] : parts.reduce(join, anything);
  known.set(schema, flat);
  return flat;
}

function partsOf(schema: JsonSchemaObject, root: JsonSchemaObject, seen: Set<JsonSchemaObject>): JsonSchemaObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, allOf, ...own } = schema;
  if ($ref === undefined && allOf === undefined) return [schema];
  const target = typeof $ref === "string" ? resolveRef($ref, root) : null;
  const parts = [...(target ? [target] : []), ...schemasIn(allOf)].flatMap((part) => partsOf(part, root, seen));
  return Object.keys(own).length > 0 ? [...parts, own] : parts;
}

/**
 * The intersection of two schemas, as far as one schema can express it. The first of two unions is kept; the validation
 * of the value covers the rest.
 */
function join(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject {
  const joined: JsonSchemaObject = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    const before = joined[keyword];
    joined[keyword] = before === undefined ? value : (joiners[keyword] ?? later)(before, value);
  }
  return joined;
}

const later = (_: Json, right: Json): Json => right;
const both = (left: Json, right: Json): Json => (left === false || right === false ? false : { allOf: [left, right] });
const lower = (left: Json, right: Json): Json => Math.min(Number(left), Number(right));
const higher = (left: Json, right: Json): Json => Math.max(Number(left), Number(right));

const joiners: Record<string, (left: Json, right: Json) => Json> = {
  type: joinTypes,
  properties: (left, right) => {
    const [first, second] = [asSchema(left), asSchema(right)];
    const names = new Set([...Object.keys(first), ...Object.keys(second)]);
    return Object.fromEntries([...names].map((name) => [name, joinProperty(own(first, name), own(second, name))]));
  },
  required: (left, right) => [...new Set([...listOf(left), ...listOf(right)])],
  enum: (left, right) =>
    listOf(left).filter((value) => listOf(right).some((other) => JSON.stringify(other) === JSON.stringify(value))),
  items: both,
  additionalProperties: both,
  propertyNames: both,
  anyOf: (left) => left,
  oneOf: (left) => left,
  minimum: higher,
  exclusiveMinimum: higher,
  minLength: higher,
  minItems: higher,
  maximum: lower,
  exclusiveMaximum: lower,
  maxLength: lower,
  maxItems: lower,
};

function joinTypes(left: Json, right: Json): Json {
  const names = listOf(Array.isArray(left) ? left : [left]);
  const others = listOf(Array.isArray(right) ? right : [right]);
  const common = names.flatMap((name) => {
    if (others.includes(name)) return [name];
    if (name === "number" && others.includes("integer")) return ["integer"];
    return name === "integer" && others.includes("number") ? ["integer"] : [];
  });
  return common.length === 1 ? (common[0] ?? []) : common;
}

function joinProperty(left: Json | undefined, right: Json | undefined): Json {
  if (left === undefined || right === undefined) return left ?? right ?? true;
  return { allOf: [left, right] };
}

/** The values that `const` or `enum` allow; empty: the schema has neither. */
export function valuesOf(flat: JsonSchemaObject): Json[] {
  return flat["const"] === undefined ? listOf(flat["enum"]) : [flat["const"]];
}

export function own(schema: JsonSchemaObject, name: string): Json | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}
