import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { exportZod4 } from "./export-zod4.ts";
import { exportZod3 } from "./export-zod3.ts";
import { isZod3, isZod4 } from "./zod-node.ts";

const ownFormats = ["includes", "starts_with", "ends_with", "lowercase", "uppercase"];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs"];
const single = ["items", "additionalProperties", "propertyNames", "not"];

/**
 * The JSON Schema (2020-12) of the JSON that a schema accepts. Requires a schema without findings of lintSchema. Checks
 * that follow a change of the value (`.trim()`, `.toLowerCase()`) do not apply to the JSON as sent, so they are
 * omitted.
 */
export function exportSchema(schema: unknown): JsonSchemaObject {
  if (isZod4(schema)) return tidy(exportZod4(schema));
  if (isZod3(schema)) return tidy(exportZod3(schema));
  throw new TypeError("Not a Zod schema");
}

/**
 * Removes redundant keywords: the bounds of safe integers, key names that can be any string, permitted additional
 * fields, and patterns that repeat a format.
 */
function tidy(exported: Record<string, unknown>): JsonSchemaObject {
  // Through JSON, so that only the content of the manifest remains.
  const plain: JsonSchemaObject = JSON.parse(JSON.stringify(exported));
  tidySchema(plain);
  return plain;
}

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
