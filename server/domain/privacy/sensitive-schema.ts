import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { asSchema, isObject, resolveRef, schemasOf } from "../../shared/schema/json-schema.ts";

/** The keyword of an exported schema whose values are sensitive. */
export const sensitiveKeyword = "x-signalbox-sensitive";

/** A schema, and the document that its references are about. */
interface Located {
  schema: JsonSchemaObject;
  root: JsonSchemaObject;
}

/**
 * What schemas say about one value of a body: all alternatives and all triggers together. A value is sensitive if any
 * of them says so.
 */
export interface SensitivePlace {
  /** The schema of this value is marked. */
  isSensitive: boolean;
  /** A value below it is sensitive, or it is itself. */
  hasSensitive: boolean;
  /** The schemas of the value, without references and alternatives. */
  schemas: readonly JsonSchemaObject[];
  /** The place of a property. `null`: no schema names it. */
  property(name: string): SensitivePlace | null;
  /** The place of an item of an array. */
  item(index: number): SensitivePlace | null;
}

/** The root of values that these schemas describe; `null`: nothing in them is sensitive. */
export function findSensitive(schemas: readonly (JsonSchemaObject | null)[]): SensitivePlace | null {
  const marked = schemas.filter((schema) => schema !== null).filter(hasMark);
  return marked.length === 0 ? null : toPlace(marked.map((schema) => ({ schema, root: schema })));
}

/** Of large schemas without a mark, only the text is searched. */
function hasMark(schema: JsonSchemaObject): boolean {
  return JSON.stringify(schema).includes(`"${sensitiveKeyword}":true`);
}

/** The names of the fields at every depth. */
export function listFieldNames(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(listFieldNames);
  if (!isObject(schema)) return [];
  const { properties } = schema;
  return [...(isObject(properties) ? Object.keys(properties) : []), ...Object.values(schema).flatMap(listFieldNames)];
}

/** `null`: the schemas say nothing about the value. */
function toPlace(located: readonly Located[]): SensitivePlace | null {
  const parts = expand(located);
  if (parts.length === 0) return null;
  const isSensitive = parts.some(({ schema }) => schema[sensitiveKeyword] === true);
  return {
    isSensitive,
    hasSensitive: isSensitive || parts.some((part) => reaches(part, new Set())),
    schemas: parts.map(({ schema }) => schema),
    property: (name) => toPlace(parts.flatMap((part) => propertyOf(part, name))),
    item: (index) => toPlace(parts.flatMap((part) => itemOf(part, index))),
  };
}

/** The schemas themselves, the targets of their references, and all their alternatives. */
function expand(located: readonly Located[]): Located[] {
  const found = new Map<JsonSchemaObject, Located>();
  const add = ({ schema, root }: Located): void => {
    if (found.has(schema)) return;
    found.set(schema, { schema, root });
    const { $ref } = schema;
    const target = typeof $ref === "string" ? resolveRef($ref, root) : null;
    if (target) add({ schema: target, root });
    for (const key of ["allOf", "anyOf", "oneOf"]) for (const one of schemasOf(schema[key])) add({ schema: one, root });
  };
  located.forEach(add);
  return [...found.values()];
}

function propertyOf({ schema, root }: Located, name: string): Located[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = isObject(properties) && Object.hasOwn(properties, name) ? asSchema(properties[name]) : null;
  const matching = isObject(patternProperties)
    ? Object.entries(patternProperties)
        .filter(([pattern]) => matches(pattern, name))
        .map(([, value]) => asSchema(value))
    : [];
  const others = named || matching.length > 0 ? null : asSchema(additionalProperties);
  return [named, ...matching, others].filter((one) => one !== null).map((one) => ({ schema: one, root }));
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return true;
  }
}

function itemOf({ schema, root }: Located, index: number): Located[] {
  const first = schemasOf(schema["prefixItems"]);
  const item = first[index] ?? asSchema(schema["items"]);
  return item ? [{ schema: item, root }] : [];
}

/** Whether a value below the schema is sensitive. `seen`: recursive schemas refer to themselves. */
function reaches({ schema, root }: Located, seen: Set<Json>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema[sensitiveKeyword] === true) return true;
  const { $ref } = schema;
  const target = typeof $ref === "string" ? resolveRef($ref, root) : null;
  const below = [
    ...(target ? [target] : []),
    ...["allOf", "anyOf", "oneOf", "prefixItems"].flatMap((key) => schemasOf(schema[key])),
    ...["properties", "patternProperties"].flatMap((key) => {
      const named = schema[key];
      return isObject(named) ? Object.values(named).map(asSchema) : [];
    }),
    asSchema(schema["items"]),
    asSchema(schema["additionalProperties"]),
  ];
  return below.some((one) => one !== null && reaches({ schema: one, root }, seen));
}
