export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** The median of the rounds, with the lowest and the highest. */
export function ratio({ median, lowest, highest }: { median: number; lowest: number; highest: number }): string {
  return `${median.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}
