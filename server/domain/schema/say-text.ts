import { type Facts, textsOf } from "./facts-of.ts";
import { formatOfPattern, sayFormat } from "./formats.ts";
import { readPattern } from "./read-pattern.ts";
import { sayPattern } from "./say-pattern.ts";

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
