import type { CodeExcerpt } from "../contract/code-excerpt.ts";

const around = 3;
const maxLineChars = 200;

/** The lines around a line of a source; long ones are cut. Empty if the source has no such line. */
export function excerptLines(source: string, line: number): CodeExcerpt["lines"] {
  const lines = source.split(/\r\n|\r|\n/);
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - around);
  return lines.slice(first - 1, line + around).map((text, index) => ({
    number: first + index,
    text: text.length > maxLineChars ? `${text.slice(0, maxLineChars)}…` : text,
  }));
}
