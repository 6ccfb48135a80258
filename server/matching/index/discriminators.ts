import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { isObject } from "../../shared/schema/json-schema.ts";

export type Scalar = string | number | boolean | null;

/**
 * A body that matches has one of these values at this path (names of nested objects). Every other body certainly does
 * not match.
 */
export interface Discriminator {
  path: readonly string[];
  values: ReadonlySet<Scalar>;
}

/** Limits for recursive and large schemas: parts that are not read rule nothing out. */
const deepest = 12;
const maxSteps = 200_000;

/**
 * The fixed values that a schema requires, read from its exported JSON Schema. These are `const` and `enum` of scalars
 * in required properties. References, `allOf`, and alternatives that all constrain the same path are followed.
 * Returns only what the schema guarantees: a field with a default is no discriminator, because a body without it
 * matches.
 */
export function discriminatorsOf(schema: JsonSchemaObject): Discriminator[] {
  const found = read({ schema, path: [], root: schema, depth: 0, left: { steps: maxSteps } });
  return [...found.values()];
}

/** By path, written as JSON. */
type Found = ReadonlyMap<string, Discriminator>;

interface Place {
  schema: Json | undefined;
  path: readonly string[];
  root: JsonSchemaObject;
  depth: number;
  /** Shared by the whole schema. */
  left: { steps: number };
}

const none: Found = new Map();

function read({ schema, path, root, depth, left }: Place): Found {
  if (!isObject(schema) || depth > deepest || left.steps-- <= 0 || "default" in schema) return none;
  const below = (child: Json | undefined, name?: string) =>
    read({ schema: child, path: name === undefined ? path : [...path, name], root, depth: depth + 1, left });
  const parts = [
    readValues(schema, path),
    ...readProperties(schema, below),
    ...listOf(schema["allOf"]).map((part) => below(part)),
  ];
  if (typeof schema["$ref"] === "string") parts.push(below(resolve(schema["$ref"], root)));
  for (const keyword of ["anyOf", "oneOf"]) {
    const options = listOf(schema[keyword]);
    if (options.length > 0) parts.push(either(options.map((option) => below(option))));
  }
  return both(parts);
}

function readValues(schema: JsonSchemaObject, path: readonly string[]): Found {
  const values =
    "const" in schema
      ? [schema["const"]]
      : Array.isArray(schema["enum"])
        ? schema["enum"]
        : schema["type"] === "null"
          ? [null]
          : [];
  if (values.length === 0 || !values.every(isScalar)) return none;
  return new Map([[JSON.stringify(path), { path, values: new Set(values) }]]);
}

/**
 * Only for schemas that accept nothing but objects: the properties of a schema without a type do not apply to arrays or
 * strings.
 */
function readProperties(schema: JsonSchemaObject, below: (child: Json | undefined, name: string) => Found): Found[] {
  const { properties } = schema;
  if (schema["type"] !== "object" || !isObject(properties)) return [];
  // Zod 4 never looks at a field called __proto__.
  const required = listOf(schema["required"]).filter(
    (name) => typeof name === "string" && name !== "__proto__" && Object.hasOwn(properties, name),
  );
  return required.map((name) => below(properties[String(name)], String(name)));
}

/** All parts apply: a path that two of them constrain has the values that both accept. */
function both(parts: readonly Found[]): Found {
  const sum = new Map<string, Discriminator>();
  for (const [key, { path, values }] of parts.flatMap((part) => [...part])) {
    const known = sum.get(key);
    sum.set(key, { path, values: known ? new Set([...values].filter((value) => known.values.has(value))) : values });
  }
  return sum;
}

/** One of the options applies: the paths that all of them constrain, with the values of all. */
function either(options: readonly Found[]): Found {
  const [first = none, ...others] = options;
  const shared = [...first].filter(([key]) => others.every((other) => other.has(key)));
  return new Map(
    shared.map(([key, { path }]) => [
      key,
      { path, values: new Set(options.flatMap((option) => [...(option.get(key)?.values ?? [])])) },
    ]),
  );
}

/** `#`, or a JSON Pointer after it; `undefined` if it does not resolve, or is ambiguous. */
function resolve(ref: string, root: JsonSchemaObject): Json | undefined {
  if (!ref.startsWith("#")) return undefined;
  let at: Json | undefined = root;
  for (const step of ref.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    const holder: object = at;
    const [name, another] = namesOf(step).filter((each) => Object.hasOwn(holder, each));
    if (name === undefined || another !== undefined) return undefined;
    at = Array.isArray(at) ? at[Number(name)] : at[name];
  }
  return at;
}

/** Not every exporter encodes the names in its references. */
function namesOf(step: string): string[] {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return [...new Set([plain, decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")])];
  } catch {
    return [plain];
  }
}

export function isScalar(value: Json | undefined): value is Scalar {
  return value !== undefined && (value === null || typeof value !== "object");
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The value at a path of nested objects; `undefined` if there is none, or if the path crosses an array. Own fields
 * only.
 */
export function fieldAt(body: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = body;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = value[name];
  }
  return value;
}
