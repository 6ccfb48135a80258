import type { Json, JsonSchemaObject } from "../../server/contract/json.ts";

/** A body of the right shape for a schema of ours: enough to begin with, not always enough to match. Optional properties are left out. */
export function exampleBody(schema: JsonSchemaObject): Json {
  return exampleOf(schema, 0);
}

function exampleOf(schema: Json | undefined, depth: number): Json {
  if (!isObject(schema) || depth > 8) return null;
  const given = [schema["const"], schema["default"], firstOf(schema["examples"]), firstOf(schema["enum"])].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const choice = firstOf(schema["anyOf"]) ?? firstOf(schema["oneOf"]);
  if (choice !== undefined) return exampleOf(choice, depth + 1);
  const parts = schema["allOf"];
  if (Array.isArray(parts)) return Object.assign({}, ...parts.map((part) => exampleOf(part, depth + 1)));
  switch (firstOf(schema["type"]) ?? schema["type"]) {
    case "object":
      return exampleObject(schema, depth);
    case "array":
      return exampleArray(schema, depth);
    case "string":
      return exampleString(schema);
    case "number":
    case "integer":
      return exampleNumber(schema);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function exampleObject(schema: JsonSchemaObject, depth: number): Json {
  const { properties, required } = schema;
  if (!isObject(properties)) return {};
  const names = Object.keys(properties).filter((name) => Array.isArray(required) && required.includes(name));
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], depth + 1)]));
}

function exampleArray(schema: JsonSchemaObject, depth: number): Json {
  const { prefixItems, items, minItems } = schema;
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => exampleOf(item, depth + 1));
  return Array.from({ length: typeof minItems === "number" ? Math.min(minItems, 3) : 0 }, () => exampleOf(items, depth + 1));
}

const formats: Record<string, string> = {
  email: "ada@example.com",
  uri: "https://example.com",
  uuid: "0198a7f2-5c1e-7d34-9b0a-3f6c2e8d1a47",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function exampleString({ format, minLength }: JsonSchemaObject): string {
  const known = typeof format === "string" ? formats[format] : undefined;
  return known ?? "text".padEnd(typeof minLength === "number" ? Math.min(minLength, 64) : 0, "x");
}

function exampleNumber({ minimum, exclusiveMinimum, multipleOf }: JsonSchemaObject): number {
  const step = typeof multipleOf === "number" ? multipleOf : 1;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + step;
  return typeof minimum === "number" && minimum > 0 ? minimum : step;
}

function firstOf(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value[0] : undefined;
}

function isObject(value: Json | undefined): value is JsonSchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
