/** Admits `burst` at once and then `perSecond`; counts the rest. An amount larger than `burst` is never admitted. */
export interface TokenBucket {
  /** Whether this request is admitted. If so, `rejected` is the number of rejections since the last admitted one. */
  take(now: number, amount?: number): { passes: true; rejected: number } | { passes: false };
}

export function createTokenBucket({ perSecond, burst }: { perSecond: number; burst: number }): TokenBucket {
  let tokens = burst;
  let filledAt = Number.NEGATIVE_INFINITY;
  let rejected = 0;
  return {
    take(now, amount = 1) {
      // A clock that was set back neither fills nor empties the bucket.
      tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) / 1000) * perSecond);
      filledAt = now;
      if (tokens < amount) {
        rejected++;
        return { passes: false };
      }
      tokens -= amount;
      const before = rejected;
      rejected = 0;
      return { passes: true, rejected: before };
    },
  };
}
