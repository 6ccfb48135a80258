/**
 * One record of CSV (RFC 4180), with its line break. Spreadsheets take a text for a formula that begins like one, and whoever sends a
 * webhook chooses texts: such a cell gets an apostrophe in front (OWASP, CSV injection).
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
