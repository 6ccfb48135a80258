import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

const asked = (name: string, requests: number, windowMs = 60_000) => ({ name, rule: { requests, windowMs } });

describe("a rate limit", () => {
  test("admits all of its requests at once, and then one at a time, evenly", () => {
    const take = createRateLimit({ maxNames: 10 });
    const a = [asked("a", 3)];
    expect([0, 0, 0].map((now) => take(a, now))).toEqual([
      { isOver: false, allowances: [{ remaining: 2, oneMoreInMs: 20_000 }] },
      { isOver: false, allowances: [{ remaining: 1, oneMoreInMs: 20_000 }] },
      { isOver: false, allowances: [{ remaining: 0, oneMoreInMs: 20_000 }] },
    ]);
    expect(take(a, 0)).toEqual({ isOver: true, allowances: [{ remaining: 0, oneMoreInMs: 20_000 }] });
    expect(take(a, 15_000)).toEqual({ isOver: true, allowances: [{ remaining: 0, oneMoreInMs: 5_000 }] });
    expect(take(a, 20_000)).toEqual({ isOver: false, allowances: [{ remaining: 0, oneMoreInMs: 20_000 }] });
    expect(take(a, 3_600_000)).toEqual({ isOver: false, allowances: [{ remaining: 2, oneMoreInMs: 20_000 }] });
    expect(take([asked("b", 3)], 0).isOver).toBe(false);
  });

  test("takes from several together, or from none if any is exhausted", () => {
    const take = createRateLimit({ maxNames: 10 });
    expect(take([asked("a", 2), asked("b", 1)], 0).allowances.map(({ remaining }) => remaining)).toEqual([1, 0]);
    expect(take([asked("a", 2), asked("b", 1)], 0)).toMatchObject({
      isOver: true,
      allowances: [{ remaining: 1 }, { remaining: 0 }],
    });
    expect(take([asked("a", 2)], 0)).toMatchObject({ isOver: false, allowances: [{ remaining: 0 }] });
  });

  test("forgets the least recently used name when there are too many", () => {
    const take = createRateLimit({ maxNames: 2 });
    for (const name of ["a", "b", "a", "c"]) take([asked(name, 2)], 0);
    expect(take([asked("a", 2)], 0).isOver).toBe(true);
    expect(take([asked("b", 2)], 0).allowances).toMatchObject([{ remaining: 1 }]);
  });

  test("admits at most twice its number within any window, for all sequences of requests, and never gets negative", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }),
        (requests, pauses) => {
          const take = createRateLimit({ maxNames: 1 });
          const passed: number[] = [];
          let now = 0;
          for (const pause of pauses) {
            now += pause;
            const { isOver, allowances } = take([asked("a", requests, 1000)], now);
            for (const { remaining, oneMoreInMs } of allowances)
              expect(Math.min(remaining, oneMoreInMs)).toBeGreaterThanOrEqual(0);
            if (!isOver) passed.push(now);
          }
          for (const from of passed)
            expect(passed.filter((at) => at >= from && at < from + 1000).length).toBeLessThanOrEqual(2 * requests);
        },
      ),
    );
  });
});
