/**
 * One record of CSV (RFC 4180), with its line break. Spreadsheets read a cell as a formula when it begins like one, and
 * senders of webhooks choose the texts of cells. Such a cell gets an apostrophe in front (OWASP, CSV injection).
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = beginsFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A tab or a line break, or one of `=`, `+`, `-` and `@` behind what spreadsheets skip; in their full-width and small
 * forms, too.
 */
function beginsFormula(text: string): boolean {
  const [, first = ""] = /^[\s\p{Cc}\p{Cf}]*(.?)/su.exec(text) ?? [];
  return /^[\t\r\n]/.test(text) || /^[=+\-@]/.test(first.normalize("NFKC"));
}
