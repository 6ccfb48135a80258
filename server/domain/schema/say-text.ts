import { type Facts, textsOf } from "./facts-of.ts";
import { formatOfPattern, sayFormat } from "./formats.ts";
import { readPattern } from "./read-pattern.ts";
import { sayChoice, sayValue } from "./say-value.ts";
import { visibleText } from "./visible-text.ts";

const verbs = { starts: "starts with", ends: "ends with", contains: "contains" };

/** Formats that say all that their own pattern says. An e-mail or a URL may have to match one more. */
const isOpen = (format: string) => ["email", "uri", "url", "hostname"].includes(format);

/** Describes the format of a string with its article (`an e-mail`), and its other patterns (`starts with ord_`). */
export function sayText(facts: Facts): { formats: string[]; patterns: string[] } {
  const named = textsOf(facts, "format");
  const encodings = named.length > 0 ? [] : textsOf(facts, "contentEncoding");
  const patterns = textsOf(facts, "pattern");
  const ofPatterns = patterns.flatMap((pattern) => formatOfPattern(pattern) ?? []);
  const formats = [...named, ...encodings].flatMap((format) => sayFormat(format) ?? []);
  const hidesOthers = named.some((format) => sayFormat(format) !== null && !isOpen(format));
  return {
    formats: [...new Set([...formats, ...(named.length === 0 ? ofPatterns : [])])],
    patterns: patterns
      .filter((pattern) => formatOfPattern(pattern) === null && (!hidesOthers || readPattern(pattern) !== null))
      .map(sayPattern),
  };
}

/** `ends with @example.com`, `is a ULID`, or `matches /^ord_[a-z0-9]{8}$/`. */
function sayPattern(pattern: string): string {
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
