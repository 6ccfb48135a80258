import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { isObject, listOf, resolveRef, schemasOf } from "./json-schema.ts";

/** The constraints of one path, across references and intersections: `$ref`, `allOf`, and `anyOf` with null. */
export interface Facts {
  /** Every schema that the value must match, the outermost first. */
  parts: readonly JsonSchemaObject[];
  /** Without `null`. Empty: any. */
  types: string[];
  isNullable: boolean;
  /** The fixed values that it may have, without `null`; `null` if it is not fixed. */
  values: Json[] | null;
  /** Choices between shapes: the value must match one of each. Without `null`. */
  unions: JsonSchemaObject[][];
  /** No value matches. */
  isNever: boolean;
}

const maxParts = 64;

/** Always terminates: a schema that contains itself is visited once. */
export function factsOf(schema: JsonSchemaObject, root: JsonSchemaObject): Facts {
  const { parts, unions, hasNullChoice } = gather(schema, root);
  const types = typesOf(parts);
  const values = valuesOf(parts);
  return {
    parts,
    unions,
    types: types?.filter((type) => type !== "null") ?? [],
    isNullable: hasNullChoice || Boolean(types?.includes("null")) || Boolean(values?.includes(null)),
    values: values?.filter((value) => value !== null) ?? null,
    isNever: parts.some(({ not }) => isObject(not) && Object.keys(not).length === 0),
  };
}

function gather(
  schema: JsonSchemaObject,
  root: JsonSchemaObject,
): { parts: JsonSchemaObject[]; unions: JsonSchemaObject[][]; hasNullChoice: boolean } {
  const parts = new Set<JsonSchemaObject>();
  const unions: JsonSchemaObject[][] = [];
  let hasNullChoice = false;
  const waiting = [schema];
  for (let part = waiting.shift(); part !== undefined && parts.size < maxParts; part = waiting.shift()) {
    if (parts.has(part)) continue;
    parts.add(part);
    const referred = typeof part["$ref"] === "string" ? resolveRef(part["$ref"], root) : null;
    if (referred) waiting.push(referred);
    waiting.push(...schemasOf(part["allOf"]));
    for (const choices of [schemasOf(part["anyOf"]), schemasOf(part["oneOf"])]) {
      const others = choices.filter((choice) => !isNull(choice));
      if (others.length < choices.length) hasNullChoice = true;
      if (others.length === 1) waiting.push(...others);
      else if (others.length > 1) unions.push(others);
    }
  }
  return { parts: [...parts], unions, hasNullChoice };
}

function isNull(schema: JsonSchemaObject): boolean {
  return schema["type"] === "null" || schema["const"] === null;
}

/** The narrowest type that the schemas name: an integer is also a number. */
function typesOf(parts: JsonSchemaObject[]): string[] | null {
  const said = parts.flatMap(({ type }) =>
    type === undefined ? [] : [[type].flat().filter((one) => typeof one === "string")],
  );
  const narrow =
    said.find((types) => types.includes("integer")) ?? said.toSorted((one, other) => one.length - other.length)[0];
  return narrow ?? null;
}

function valuesOf(parts: JsonSchemaObject[]): Json[] | null {
  const said = parts.flatMap((part) =>
    part["const"] !== undefined ? [[part["const"]]] : Array.isArray(part["enum"]) ? [listOf(part["enum"])] : [],
  );
  return said.toSorted((one, other) => one.length - other.length)[0] ?? null;
}

export interface Property {
  name: string;
  schema: JsonSchemaObject;
  isRequired: boolean;
}

/** The named properties of all parts. A property that several parts name has all their schemas. */
export function propertiesOf({ parts }: { parts: readonly JsonSchemaObject[] }): Property[] {
  const required = new Set(parts.flatMap((part) => listOf(part["required"])));
  const found = new Map<string, JsonSchemaObject[]>();
  for (const { properties } of parts) {
    if (!isObject(properties)) continue;
    for (const [name, value] of Object.entries(properties)) {
      const schema = isObject(value) ? value : value === false ? { not: {} } : {};
      found.set(name, [...(found.get(name) ?? []), schema]);
    }
  }
  return [...found].map(([name, schemas]) => ({
    name,
    schema: schemas.length === 1 ? (schemas[0] ?? {}) : { allOf: schemas },
    isRequired: required.has(name),
  }));
}

/** The first value of a keyword among the parts. */
export function firstOf({ parts }: Facts, keyword: string): Json | undefined {
  return parts.find((part) => part[keyword] !== undefined)?.[keyword];
}

/** The tightest number of a keyword: the greatest of the lower bounds, the least of the upper ones. */
export function tightest(
  { parts }: Pick<Facts, "parts">,
  keyword: string,
  pick: (...numbers: number[]) => number,
): number | null {
  const numbers = parts.flatMap((part) => (typeof part[keyword] === "number" ? [part[keyword]] : []));
  return numbers.length === 0 ? null : pick(...numbers);
}

export function textsOf({ parts }: Facts, keyword: string): string[] {
  return [...new Set(parts.flatMap((part) => (typeof part[keyword] === "string" ? [part[keyword]] : [])))];
}
