/** So many requests in so much time for each name: all of them may come at once, and from then on they come back evenly. */
export interface RateLimit {
  /** What `name` may do at `now`: ms, of a clock that only goes forward. */
  look(name: string, now: number): Allowance;
  take(name: string, now: number): void;
}

interface Allowance {
  /** Whole requests that may come at once. */
  remaining: number;
  /** Until one more than those may come; 0: all that ever may are there. */
  oneMoreInMs: number;
}

/** Keeps no more than `mostNames`: of more, the one that was asked for longest ago is forgotten, and starts anew. */
export function createRateLimit(p: { requests: number; windowMs: number; mostNames: number }): RateLimit {
  const buckets = new Map<string, { tokens: number; filledAt: number }>();
  const perMs = p.requests / p.windowMs;

  function bucketOf(name: string, now: number): { tokens: number; filledAt: number } {
    const { tokens, filledAt } = buckets.get(name) ?? { tokens: p.requests, filledAt: now };
    const bucket = { tokens: Math.min(p.requests, tokens + Math.max(0, now - filledAt) * perMs), filledAt: now };
    // A map keeps the order in which its names came: the first is the one that was asked for longest ago.
    buckets.delete(name);
    buckets.set(name, bucket);
    const oldest = buckets.keys().next();
    if (buckets.size > p.mostNames && !oldest.done) buckets.delete(oldest.value);
    return bucket;
  }

  return {
    look(name, now) {
      const { tokens } = bucketOf(name, now);
      // What adds up in floats may fall short of a whole by less than nothing.
      const remaining = Math.floor(tokens + 1e-9);
      return { remaining, oneMoreInMs: remaining >= p.requests ? 0 : ((remaining + 1 - tokens) * p.windowMs) / p.requests };
    },
    take(name, now) {
      bucketOf(name, now).tokens -= 1;
    },
  };
}
