/** The bars of a sparkline as three paths: a baseline per bucket, accepted deliveries, and rejected ones on top. */
export function sparkBars(
  buckets: readonly { count: number; rejected: number }[],
  height: number,
): { width: number; base: string; good: string; bad: string } {
  const max = Math.max(1, ...buckets.map(({ count }) => count));
  const scale = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / max) * height * 10) / 10));
  const bar = (index: number, { top, size }: { top: number; size: number }) =>
    size > 0 ? `M${index * pitch} ${round(top)}h${barWidth}v${round(size)}h-${barWidth}z` : "";
  const paths = buckets.map(({ count, rejected }, index) => {
    const full = scale(count);
    const bad = rejected === 0 ? 0 : Math.min(full, Math.max(2, (rejected / count) * full));
    return {
      base: bar(index, { top: height - 1, size: 1 }),
      bad: bar(index, { top: height - full, size: bad }),
      good: bar(index, { top: height - full + bad, size: full - bad }),
    };
  });
  const join = (which: "base" | "good" | "bad") => paths.map((path) => path[which]).join("");
  return {
    width: buckets.length * pitch - (pitch - barWidth),
    base: join("base"),
    good: join("good"),
    bad: join("bad"),
  };
}

const pitch = 10;
const barWidth = 8;

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
