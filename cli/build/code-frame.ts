const linesAround = 2;
const widest = 160;

/** The lines around a location, with a marker below it. `line` and `column` start at 1; `null`: no such line. */
export function codeFrame(source: string, line: number, column: number): string | null {
  const lines = source.split(/\r?\n/);
  if (line < 1 || line > lines.length) return null;
  const first = Math.max(1, line - linesAround);
  const last = Math.min(lines.length, line + linesAround);
  const width = String(last).length;
  const rows: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = (lines[number - 1] ?? "").replaceAll("\t", " ").slice(0, widest).trimEnd();
    const isLine = number === line;
    rows.push(`${isLine ? ">" : " "} ${String(number).padStart(width)} | ${text}`.trimEnd());
    if (isLine && column <= widest) rows.push(`  ${" ".repeat(width)} | ${" ".repeat(Math.max(0, column - 1))}^`);
  }
  return rows.join("\n");
}
