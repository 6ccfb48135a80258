import { type Allowance, fillBucket, type RateBucket, type RateRule, takeOfAll } from "./rate-bucket.ts";

/** A limit and the subject that it counts. */
export interface RateAsked {
  /** Unique for the subject and the limit. */
  name: string;
  rule: RateRule;
}

/**
 * The remaining allowance of each limit, in order, after the request was charged to all of them. If any limit was
 * exhausted (`isOver`), the request was charged to none.
 */
export interface RatesTaken {
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
}): (asked: readonly RateAsked[], now: number) => RatesTaken {
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
    } = takeOfAll(asked.map(({ name, rule }) => ({ rule, bucket: fillBucket(buckets.get(name) ?? null, rule, now) })));
    for (const [at, bucket] of left.entries()) keep(asked[at]?.name ?? "", bucket);
    return { isOver, allowances };
  };
}
