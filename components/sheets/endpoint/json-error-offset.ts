/**
 * The offset of the position that a message names: `Line 2, column 5: …`. Columns count characters, not UTF-16 code
 * units.
 */
export function errorOffset(text: string, detail: string): number | null {
  const named = /^Line (\d+), column (\d+):/.exec(detail);
  if (!named) return null;
  const [line, column] = [Number(named[1]), Number(named[2])];
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = /\r\n|\r|\n/.exec(text.slice(start));
    if (!end) return null;
    start += end.index + end[0].length;
  }
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join("").length
  );
}
