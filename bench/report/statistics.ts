/** The middle of an odd number of values, the mean of the two in the middle of an even one. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] ?? Number.NaN)
    : ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2;
}

/** The percentile `part` (0 to 1), by the nearest rank. Takes sorted values; NaN for none. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  const rank = Math.ceil(part * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] ?? Number.NaN;
}

/** The ratio of two series that were measured in the same rounds, by round: a slow moment affects both sides. */
export function ratioByRounds(
  of: readonly number[],
  to: readonly number[],
): { median: number; lowest: number; highest: number } {
  if (of.length !== to.length) throw new Error(`${of.length} rounds cannot be compared with ${to.length}`);
  const ratios = of.map((value, round) => value / (to[round] ?? Number.NaN));
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}
