import type { Json } from "../../contract/json.ts";

/** A value as JSON of at most `length` characters, truncated with `…`. Reads no more of a large value than it shows. */
export function shortJson(value: Json, length = 80): string {
  const text = write(value, length + 1);
  return text.length <= length ? text : cut(text, length);
}

/** A string of at most `length` characters, truncated with `…`. */
export function shortText(text: string, length: number): string {
  return text.length <= length ? text : cut(text, length);
}

function cut(text: string, length: number): string {
  // Do not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text[length - 2] ?? "") ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}

/** Writes until there is more than can be shown. */
function write(value: Json, room: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const isArray = Array.isArray(value);
  let text = isArray ? "[" : "{";
  let separator = "";
  for (const key in value) {
    if (text.length > room) return text;
    const item = isArray ? value[Number(key)] : value[key];
    const name = isArray ? "" : `${JSON.stringify(key.slice(0, room))}: `;
    text += separator + name + write(item ?? null, room - text.length);
    separator = ", ";
  }
  return text + (isArray ? "]" : "}");
}
