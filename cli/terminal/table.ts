import { stripVTControlCharacters } from "node:util";
import type { Paint } from "./terminal.ts";

const graphemes = new Intl.Segmenter();
// East Asian wide forms and pictures take two columns of a terminal.
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;

/** Rows below their headings, in columns that are as wide as their widest cell. No trailing spaces; ends with a newline. */
export function renderTable(table: {
  headings: readonly string[];
  rows: readonly (readonly string[])[];
  paint: Paint;
}): string {
  const headings = table.headings.map((heading) => table.paint("dim", heading));
  const lines = [headings, ...table.rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => textWidth(row[column] ?? ""))));
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, column) => (column === row.length - 1 ? cell : padEnd(cell, widths[column] ?? 0)))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** Names and values, one pair per line, with aligned values. Pairs without a value are omitted. */
export function renderPairs(pairs: readonly (readonly [name: string, value: string | null])[], paint: Paint): string {
  const shown = pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(0, ...shown.map(([name]) => textWidth(name)));
  return shown.map(([name, value]) => `${paint("dim", padEnd(name, width))}  ${value}\n`).join("");
}

/** The number of terminal columns of a string, without colours. */
function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) width += wide.test(segment) ? 2 : 1;
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
