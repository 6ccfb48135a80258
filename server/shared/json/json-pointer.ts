import type { Json } from "../../contract/json.ts";
import { shortText } from "./short-json.ts";

/** RFC 6901: `["a/b", 0]` is `/a~1b/0`; the whole document is the empty string. */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** A pointer for a message or a record: the keys of a body can be as long as it is. */
export function shortPointer(path: readonly PropertyKey[]): string {
  return shortText(toPointer(path), 1000);
}

/** The steps of a pointer, unescaped: `/a~1b/0` is `["a/b", "0"]`. */
export function fromPointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a path; `undefined` if there is none. Reads own properties only. */
export function valueAt(body: Json, path: readonly PropertyKey[]): Json | undefined {
  let value: Json | undefined = body;
  for (const key of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = Array.isArray(value) ? value[Number(key)] : value[String(key)];
  }
  return value;
}
