import { formatOfPattern } from "./formats.ts";
import { readPattern } from "./read-pattern.ts";
import { sayChoice, sayValue } from "./say-value.ts";
import { visibleText } from "./visible-text.ts";

const verbs = { starts: "starts with", ends: "ends with", contains: "contains" };

/** `ends with @example.com`, `is a ULID`, or `matches /^ord_[a-z0-9]{8}$/`. */
export function sayPattern(pattern: string): string {
  const format = formatOfPattern(pattern);
  if (format) return `is ${format}`;
  const plain = readPattern(pattern);
  if (plain?.kind === "is") return `is ${sayChoice(plain.texts)}`;
  if (plain) return `${verbs[plain.kind]} ${sayBare(plain.texts[0] ?? "")}`;
  return `matches /${visibleText(pattern, 40)}/`;
}

/** A piece of text reads without quotes as long as its ends can be seen. */
function sayBare(text: string): string {
  return /^[^\s"',]+$/u.test(text) ? visibleText(text, 40) : sayValue(text);
}
