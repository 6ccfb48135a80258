/** A limit and the subject that it counts. */
export interface RateCheck {
  /** Unique for the subject and the limit. */
  name: string;
  rule: RateRule;
}

/**
 * The remaining allowance of each limit, in order, after the request was charged to all of them. If any limit was
 * exhausted (`isOver`), the request was charged to none.
 */
export interface RateResult {
  isOver: boolean;
  allowances: Allowance[];
}

/**
 * Counts in the memory of this process. All requests of a rate may be sent at once; the allowance then refills evenly.
 * Keeps at most `maxNames`: if there are more, the least recently used name is forgotten and starts again with a full
 * allowance. `now` is monotonic.
 */
export function createRateLimit({
  maxNames,
}: {
  maxNames: number;
}): (asked: readonly RateCheck[], now: number) => RateResult {
  const buckets = new Map<string, RateBucket>();

  function keep(name: string, bucket: RateBucket): void {
    // A map keeps insertion order: the first name is the least recently used one.
    buckets.delete(name);
    buckets.set(name, bucket);
    const oldest = buckets.keys().next();
    if (buckets.size > maxNames && !oldest.done) buckets.delete(oldest.value);
  }

  return (asked, now) => {
    const {
      isOver,
      buckets: left,
      allowances,
    } = takeFromAll(
      asked.map(({ name, rule }) => ({ rule, bucket: fillBucket(buckets.get(name) ?? null, rule, now) })),
    );
    for (const [at, bucket] of left.entries()) keep(asked[at]?.name ?? "", bucket);
    return { isOver, allowances };
  };
}

/** A number of requests in a time. */
interface RateRule {
  requests: number;
  windowMs: number;
}

/** The remaining allowance of a rate at a moment. It refills evenly, up to all of its requests. */
export interface RateBucket {
  tokens: number;
  filledAt: number;
}

export interface Allowance {
  /** Whole requests that may be sent at once. */
  remaining: number;
  /** Milliseconds until one more request may be sent; 0 if the allowance is full. */
  oneMoreInMs: number;
}

/** `null`: this name has not been used. */
export function fillBucket(bucket: RateBucket | null, { requests, windowMs }: RateRule, now: number): RateBucket {
  const { tokens, filledAt } = bucket ?? { tokens: requests, filledAt: now };
  return { tokens: Math.min(requests, tokens + (Math.max(0, now - filledAt) * requests) / windowMs), filledAt: now };
}

function allowanceOf({ tokens }: RateBucket, { requests, windowMs }: RateRule): Allowance {
  // A sum of floats may be slightly less than a whole number.
  const remaining = Math.floor(tokens + 1e-9);
  return { remaining, oneMoreInMs: remaining >= requests ? 0 : ((remaining + 1 - tokens) * windowMs) / requests };
}

/** Takes one request of all rates, or of none if any is exhausted. */
export function takeFromAll<Asked extends { rule: RateRule; bucket: RateBucket }>(
  asked: readonly Asked[],
): { isOver: boolean; buckets: RateBucket[]; allowances: Allowance[] } {
  const isOver = asked.some(({ rule, bucket }) => allowanceOf(bucket, rule).remaining === 0);
  const buckets = asked.map(({ bucket }) => (isOver ? bucket : { ...bucket, tokens: bucket.tokens - 1 }));
  return {
    isOver,
    buckets,
    allowances: asked.map(({ rule }, at) => allowanceOf(buckets[at] ?? { tokens: 0, filledAt: 0 }, rule)),
  };
}
