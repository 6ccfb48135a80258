import type { CodeExcerpt } from "../contract/code-excerpt.ts";

const around = 3;
const longest = 200;

/** The lines around a line of a source; long ones are cut. Empty where the source has no such line. */
export function excerptLines(source: string, line: number): CodeExcerpt["lines"] {
  const lines = source.split(/\r\n|\r|\n/);
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - around);
  return lines.slice(first - 1, line + around).map((text, index) => ({
    number: first + index,
    text: text.length > longest ? `${text.slice(0, longest)}…` : text,
  }));
}
