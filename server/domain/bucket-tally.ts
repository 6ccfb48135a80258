/** How many values fell between bounds, as a histogram of Prometheus has them. Plain data: it travels between processes. */
export interface BucketCounts {
  /** The number of values up to each bound and over the previous one. The last number: values over all bounds. */
  counts: readonly number[];
  sum: number;
}

export interface BucketTally {
  /** Takes a few nanoseconds and allocates nothing. */
  observe(value: number): void;
  read(): BucketCounts;
}

/** `bounds` must ascend. A value that equals a bound is below it. */
export function createBucketTally(bounds: readonly number[]): BucketTally {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? Infinity)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    read: () => ({ counts: [...counts], sum }),
  };
}

/** The sum of two counts with the same bounds. */
export function addBuckets(a: BucketCounts, b: BucketCounts): BucketCounts {
  return { counts: a.counts.map((count, at) => count + (b.counts[at] ?? 0)), sum: a.sum + b.sum };
}
