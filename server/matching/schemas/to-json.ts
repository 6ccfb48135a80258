import type { Json } from "../../contract/json.ts";

/**
 * The output of a schema as JSON: properties that are `undefined` are left out. The same object if it already is JSON,
 * which is almost always.
 */
export function toJson(value: unknown): Json {
  if (value === undefined) return null;
  return isJson(value) ? value : copyAsJson(value);
}

function isJson(value: unknown): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object" || !isPlain(value)) return false;
  return Object.values(value).every(isJson);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyAsJson(value: unknown): Json {
  const text: string | undefined = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? item.toString() : item,
  );
  const json: Json = text === undefined ? null : JSON.parse(text);
  return json;
}
