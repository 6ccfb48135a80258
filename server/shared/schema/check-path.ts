import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { nearestName } from "../../../sdk/did-you-mean.ts";
import { isObject } from "./json-schema.ts";

/** Whether a path exists in a schema. `missing`: where the path ends, and the most similar name there. */
export type PathVerdict =
  | { kind: "there" }
  | { kind: "missing"; name: string; before: readonly string[]; nearest: string | null };

/**
 * Whether values of a JSON Schema can have a value at a path. They can if the schema does not exclude it. An object
 * with named fields has no others: Zod drops unknown fields.
 */
export function checkSchemaPath(schema: JsonSchemaObject, path: readonly string[]): PathVerdict {
  let nodes: Json[] = [schema];
  for (const [index, name] of path.entries()) {
    const open = nodes.flatMap((node) => unfold(node, schema));
    const found = open.flatMap((node) => childrenOf(node, name));
    if (found.length === 0) {
      const names = [...new Set(open.flatMap(namesOf))];
      return {
        kind: "missing",
        name,
        before: path.slice(0, index),
        nearest: nearestChild(path.slice(0, index), name, names),
      };
    }
    nodes = found;
  }
  return { kind: "there" };
}

/**
 * The JSON types that a value at an existing path can have, without `null`. `null`: all, because the schema does not
 * constrain it.
 */
export function typesAt(schema: JsonSchemaObject, path: readonly string[]): string[] | null {
  let nodes: SchemaNode[] = unfold(schema, schema);
  for (const name of path)
    nodes = nodes.flatMap((node) => childrenOf(node, name)).flatMap((node) => unfold(node, schema));
  if (nodes.some((node) => node === true || isAnything(node))) return null;
  const types = nodes.flatMap((node) => (node === true ? [] : typesOf(node)));
  return [...new Set(types)].filter((type) => type !== "null");
}

function typesOf(node: { [keyword: string]: Json }): string[] {
  const { type, enum: values = "const" in node ? [node["const"] ?? null] : [] } = node;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  return Array.isArray(values)
    ? values.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value))
    : [];
}

/** Compares whole paths: if two paths begin alike, more than the last name may be wrong. */
function nearestChild(before: readonly string[], name: string, names: readonly string[]): string | null {
  const prefix = before.map((part) => `${part}.`).join("");
  return (
    nearestName(name, names) ??
    nearestName(
      prefix + name,
      names.filter((other) => Math.abs(other.length - name.length) <= 1).map((other) => prefix + other),
    )?.slice(prefix.length) ??
    null
  );
}

type SchemaNode = true | { [keyword: string]: Json };

/** The alternatives and parts of a schema, references followed. */
function unfold(node: Json, root: JsonSchemaObject, seen: ReadonlySet<Json> = new Set()): SchemaNode[] {
  if (node === true) return [true];
  if (!isObject(node) || seen.has(node)) return [];
  const within = new Set([...seen, node]);
  const parts = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => (Array.isArray(node[keyword]) ? node[keyword] : []));
  const referred = typeof node["$ref"] === "string" ? [follow(node["$ref"], root)] : [];
  const inner = [...parts, ...referred];
  const own: SchemaNode[] = inner.length > 0 && !("properties" in node) && !("type" in node) ? [] : [node];
  return [...own, ...inner.flatMap((part) => unfold(part, root, within))];
}

function follow(reference: string, root: JsonSchemaObject): Json {
  const names = reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((name) => name !== "");
  let current: Json = root;
  for (const name of names) {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(current) || !Object.hasOwn(current, key)) return false;
    current = current[key] ?? false;
  }
  return current;
}

function childrenOf(node: SchemaNode, name: string): Json[] {
  if (node === true || isAnything(node)) return [true];
  const types = Array.isArray(node["type"]) ? node["type"] : [node["type"]];
  if (types.includes("array") && /^\d+$/.test(name)) {
    const prefix: Json[] = Array.isArray(node["prefixItems"]) ? node["prefixItems"] : [];
    const item = prefix[Number(name)] ?? node["items"] ?? prefix.length === 0;
    return item === false ? [] : [item];
  }
  if (!types.includes("object") && !("properties" in node)) return [];
  const properties = node["properties"];
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name] ?? true];
  const others = node["additionalProperties"];
  return others === undefined || others === false ? [] : [others];
}

/** `{}` and similar schemas, which do not constrain the value. */
function isAnything(node: { [keyword: string]: Json }): boolean {
  return !Object.keys(node).some((keyword) =>
    ["type", "properties", "enum", "const", "items", "anyOf", "oneOf", "allOf", "$ref", "not"].includes(keyword),
  );
}

function namesOf(node: SchemaNode): string[] {
  return node !== true && isObject(node["properties"]) ? Object.keys(node["properties"]) : [];
}
