const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Formats a duration in its two largest units: `12 minutes 5 seconds`. */
export function sayDistance(ms: number): string {
  let rest = Math.ceil(ms / 1000) * 1000;
  const words: string[] = [];
  for (const [unit, unitMs] of units) {
    const amount = Math.floor(rest / unitMs);
    rest -= amount * unitMs;
    if (amount > 0 && words.length < 2) words.push(`${amount} ${unit}${amount === 1 ? "" : "s"}`);
  }
  return words.join(" ");
}
