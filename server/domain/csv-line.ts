/**
 * One record of CSV (RFC 4180), with its line break. Spreadsheets evaluate a cell that begins like a formula, and
 * senders of webhooks control the content of cells. Such a cell gets a leading apostrophe (OWASP, CSV injection).
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
