import type { Json } from "../../contract/json.ts";
import { shortJson } from "../short-json.ts";
import { visibleText } from "./visible-text.ts";

/** A fixed value: words as they are, everything that could be taken for something else in quotes. */
export function sayValue(value: Json, length = 40): string {
  const isWord =
    typeof value === "string" &&
    /^[\p{L}_][\p{L}\p{N}\p{Extended_Pictographic}._@:/+-]*$/u.test(value) &&
    !/^(?:true|false|null)$/.test(value);
  return visibleText(isWord ? value : shortJson(value, length), length);
}

/** `a`, `a or b`, `a, b or c`, `one of a, b, c and 5 more`. */
export function sayChoice(values: readonly Json[], most = 4): string {
  const said = values.slice(0, most).map((value) => sayValue(value));
  const more = values.length - said.length;
  if (more > 0) return `one of ${said.join(", ")} and ${more} more`;
  const last = said.pop() ?? "nothing";
  return said.length === 0 ? last : `${said.join(", ")} or ${last}`;
}
