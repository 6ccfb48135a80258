import { type Allowance, fillBucket, type RateBucket, type RateRule, takeOfAll } from "./rate-bucket.ts";

/** A limit, and whom it counts. */
export interface RateAsked {
  /** Whom, and by which limit: no other has this name. */
  name: string;
  rule: RateRule;
}

/**
 * What is left of each, in their order: after a request was taken of all, or, where any had nothing left (`isOver`), of
 * none.
 */
export interface RatesTaken {
  isOver: boolean;
  allowances: Allowance[];
}

/**
 * Counts in this process's memory: all requests of a rate may come at once, and from then on they come back evenly.
 * Keeps no more than `maxNames`: of more, the one that was asked for longest ago is forgotten, and starts anew. `now`
 * is of a clock that only goes forward.
 */
export function createRateLimit({
  maxNames,
}: {
  maxNames: number;
}): (asked: readonly RateAsked[], now: number) => RatesTaken {
  const buckets = new Map<string, RateBucket>();

  function keep(name: string, bucket: RateBucket): void {
    // A map keeps the order in which its names came: the first is the one that was asked for longest ago.
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
