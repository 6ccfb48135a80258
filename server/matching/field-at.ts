import type { Json } from "../contract/json.ts";

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
