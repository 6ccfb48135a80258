import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

describe("a rate limit", () => {
  test("lets all of its requests in at once, and then one at a time, evenly", () => {
    const limit = createRateLimit({ requests: 3, windowMs: 60_000, mostNames: 10 });
    expect(limit.look("a", 0)).toEqual({ remaining: 3, oneMoreInMs: 0 });
    for (let n = 0; n < 3; n += 1) limit.take("a", 0);
    expect(limit.look("a", 0)).toEqual({ remaining: 0, oneMoreInMs: 20_000 });
    expect(limit.look("a", 15_000)).toEqual({ remaining: 0, oneMoreInMs: 5_000 });
    expect(limit.look("a", 20_000).remaining).toBe(1);
    expect(limit.look("a", 3_600_000)).toEqual({ remaining: 3, oneMoreInMs: 0 });
    expect(limit.look("b", 0).remaining).toBe(3);
  });

  test("forgets the name that was asked for longest ago when there are too many", () => {
    const limit = createRateLimit({ requests: 1, windowMs: 60_000, mostNames: 2 });
    for (const name of ["a", "b", "a", "c"]) limit.take(name, 0);
    expect(limit.look("a", 0).remaining).toBeLessThan(1);
    expect(limit.look("b", 0).remaining).toBe(1);
  });

  test("of every stream of requests, lets no more in within any window than twice its number, and never goes below nothing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (requests, pauses) => {
        const limit = createRateLimit({ requests, windowMs: 1000, mostNames: 1 });
        const passed: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const { remaining, oneMoreInMs } = limit.look("a", now);
          expect(remaining).toBeGreaterThanOrEqual(0);
          expect(oneMoreInMs).toBeGreaterThanOrEqual(0);
          if (remaining === 0) continue;
          limit.take("a", now);
          passed.push(now);
        }
        for (const from of passed) expect(passed.filter((at) => at >= from && at < from + 1000).length).toBeLessThanOrEqual(2 * requests);
      }),
    );
  });
});
