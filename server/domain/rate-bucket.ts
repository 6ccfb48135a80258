/** So many requests in so much time. */
export interface RateRule {
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
  /** Until one more than those may come; 0: all that ever may are there. */
  oneMoreInMs: number;
}

/** `null`: this name has not been used. */
export function fillBucket(bucket: RateBucket | null, { requests, windowMs }: RateRule, now: number): RateBucket {
  const { tokens, filledAt } = bucket ?? { tokens: requests, filledAt: now };
  return { tokens: Math.min(requests, tokens + (Math.max(0, now - filledAt) * requests) / windowMs), filledAt: now };
}

function allowanceOf({ tokens }: RateBucket, { requests, windowMs }: RateRule): Allowance {
  // What adds up in floats may fall short of a whole by less than nothing.
  const remaining = Math.floor(tokens + 1e-9);
  return { remaining, oneMoreInMs: remaining >= requests ? 0 : ((remaining + 1 - tokens) * windowMs) / requests };
}

/** One request of all of these, or of none where any has nothing left. */
export function takeOfAll<Asked extends { rule: RateRule; bucket: RateBucket }>(
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
