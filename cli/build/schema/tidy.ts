import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";

/**
 * Removes redundant keywords: the bounds of safe integers, key names that can be any string, permitted additional
 * fields, and patterns that repeat a format.
 */
export function tidy(exported: Record<string, unknown>): JsonSchemaObject {
  // Through JSON, so that only the content of the manifest remains.
  const plain: JsonSchemaObject = JSON.parse(JSON.stringify(exported));
  tidySchema(plain);
  return plain;
}

const ownFormats = ["includes", "starts_with", "ends_with", "lowercase", "uppercase"];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs"];
const single = ["items", "additionalProperties", "propertyNames", "not"];

function tidySchema(schema: Json | undefined): void {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  if (schema["type"] === "integer") {
    if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
    if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  }
  if (typeof schema["format"] === "string" && ownFormats.includes(schema["format"])) delete schema["format"];
  if (schema["additionalProperties"] === true) delete schema["additionalProperties"];
  const names = schema["propertyNames"];
  if (JSON.stringify(names) === '{"type":"string"}') delete schema["propertyNames"];
  for (const key of single) tidySchema(schema[key]);
  for (const key of lists) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach(tidySchema);
  }
  for (const key of maps) {
    const map = schema[key];
    if (typeof map === "object" && map !== null && !Array.isArray(map)) Object.values(map).forEach(tidySchema);
  }
}
