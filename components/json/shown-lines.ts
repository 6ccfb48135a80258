import type { JsonLine } from "./lay-out-json.ts";

/** The line numbers that are visible while some objects and arrays are folded. */
export function shownLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): number[] {
  const shown: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    shown.push(at);
    if (folded.has(at)) at = lines[at]?.last ?? at;
  }
  return shown;
}

/** `folded` without the ancestors that hide a line. Returns the same set if the line is visible. */
export function unfoldAround(
  lines: readonly JsonLine[],
  folded: ReadonlySet<number>,
  line: number,
): ReadonlySet<number> {
  const hiding = new Set<number>();
  for (let at = lines[line]?.parent ?? -1; at >= 0; at = lines[at]?.parent ?? -1) if (folded.has(at)) hiding.add(at);
  return hiding.size === 0 ? folded : new Set([...folded].filter((at) => !hiding.has(at)));
}

/** Whether the value of a line can be folded. */
export function isFoldable(line: JsonLine | undefined): boolean {
  return line !== undefined && line.count > 0;
}
