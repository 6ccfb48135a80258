import type { Json } from "../contract/json.ts";

/**
 * What stands at a path of nested objects; `undefined` where nothing does, or where a list comes in between. Own fields
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
