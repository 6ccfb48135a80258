const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** A stretch of time in the largest unit that it fills: `12 minutes`. */
export function sayDistance(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms >= each) ?? units[3];
  const amount = Math.round(ms / unitMs);
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
