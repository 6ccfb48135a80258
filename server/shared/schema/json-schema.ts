import type { Json, JsonSchemaObject } from "../../contract/json.ts";

export function isObject(value: Json | undefined): value is JsonSchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The schemas of a list such as `anyOf`; `true` matches every value, `false` none. */
export function schemasOf(value: Json | undefined): JsonSchemaObject[] {
  return listOf(value)
    .map(asSchema)
    .filter((one) => one !== null);
}

export function asSchema(value: Json | undefined): JsonSchemaObject | null {
  if (value === true) return {};
  if (value === false) return { not: {} };
  return isObject(value) ? value : null;
}

/** The target of a `$ref` inside the same document (`#`, `#/$defs/tree`), or `null`. */
export function resolveRef(ref: string, root: JsonSchemaObject): JsonSchemaObject | null {
  if (!ref.startsWith("#")) return null;
  let at: Json | undefined = root;
  for (const step of ref.split("/").slice(1)) {
    const name: string = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return null;
    at = Array.isArray(at) ? at[Number(name)] : at[name];
  }
  return asSchema(at);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
