import type { Json, JsonSchemaObject } from "../../contract/json.ts";

const deepest = 6;

/** A made-up body for a trigger: what `request` asks for, with what `filter` asks for on top. A start to edit, not a proof that it matches. */
export function exampleBody(request: JsonSchemaObject, filter: JsonSchemaObject | null): Json {
  const body = example(request, request, 0);
  return filter ? overlay(body, example(filter, filter, 0)) : body;
}

function example(schema: JsonSchemaObject, root: JsonSchemaObject, depth: number): Json {
  if (schema["const"] !== undefined) return schema["const"];
  if (schema["default"] !== undefined) return schema["default"];
  const [sample] = [...list(schema["enum"]), ...list(schema["examples"])];
  if (sample !== undefined) return sample;
  if (depth > deepest) return null;
  if (typeof schema["$ref"] === "string") return example(resolve(schema["$ref"], root), root, depth + 1);
  const alternative = [...list(schema["anyOf"]), ...list(schema["oneOf"])].find(isObject);
  if (alternative) return example(alternative, root, depth + 1);
  const parts = list(schema["allOf"]).filter(isObject);
  if (parts.length > 0) return parts.map((part) => example(part, root, depth + 1)).reduce(overlay);
  return ofType(schema, root, depth);
}

function ofType(schema: JsonSchemaObject, root: JsonSchemaObject, depth: number): Json {
  const [type] = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  switch (type) {
    case "string":
      return exampleString(schema);
    case "integer":
    case "number":
      return exampleNumber(schema);
    case "boolean":
      return true;
    case "array": {
      const prefix = list(schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : undefined)).filter(isObject);
      if (prefix.length > 0) return prefix.map((item) => example(item, root, depth + 1));
      const items = schema["items"];
      return isObject(items) && Number(schema["minItems"] ?? 0) > 0 ? Array.from({ length: Math.min(Number(schema["minItems"]), 5) }, () => example(items, root, depth + 1)) : [];
    }
    case "object": {
      const properties = isObject(schema["properties"]) ? schema["properties"] : {};
      const required = list(schema["required"]);
      return Object.fromEntries(Object.entries(properties).flatMap(([name, value]) => (required.includes(name) && isObject(value) ? [[name, example(value, root, depth + 1)]] : [])));
    }
    default:
      return null;
  }
}

const strings: Record<string, string> = {
  email: "ada@example.com",
  uri: "https://example.com/",
  uuid: "0198c1d2-7a30-7c3e-9d5b-4f1f0e6a2b11",
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function exampleString({ format, minLength, pattern }: JsonSchemaObject): string {
  const known = typeof format === "string" ? strings[format] : undefined;
  if (known) return known;
  // A prefix or suffix asked for by `.startsWith()` or `.endsWith()` can be read off the pattern.
  const literal = typeof pattern === "string" ? /^(?:\^([\w@./ -]+)\.\*|\.\*([\w@.\\/ -]+)\$|\^?([\w-]+)\$?)$/.exec(pattern.replaceAll("\\", "")) : null;
  const text = literal?.[1] ?? (literal?.[2] ? `ada${literal[2]}` : literal?.[3]) ?? "text";
  return text.padEnd(Number(minLength ?? 0), "x");
}

function exampleNumber({ type, minimum, exclusiveMinimum, maximum, multipleOf }: JsonSchemaObject): number {
  if (typeof multipleOf === "number") return Math.ceil(Number(minimum ?? 1) / multipleOf) * multipleOf;
  if (typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER) return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  if (typeof maximum === "number" && maximum < 1) return maximum;
  return type === "integer" ? 1 : 1.5;
}

/** `over` wins; objects are joined. */
function overlay(under: Json, over: Json): Json {
  if (!isObject(under) || !isObject(over)) return over;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [low, high] = [under[name], over[name]];
      return [name, high === undefined ? (low ?? null) : low === undefined ? high : overlay(low, high)];
    }),
  );
}

function resolve(reference: string, root: JsonSchemaObject): JsonSchemaObject {
  const found = reference
    .split("/")
    .slice(1)
    .reduce<Json | undefined>((at, name) => (isObject(at) ? at[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined), root);
  return isObject(found) ? found : {};
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: Json | undefined): value is JsonSchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
