export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** With the significant digits only. */
export function milliseconds(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(1) : count(value);
}

/** The median of the rounds, with the lowest and the highest. */
export function ratio({ median, lowest, highest }: { median: number; lowest: number; highest: number }): string {
  const digits = median < 10 ? 2 : 0;
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}
