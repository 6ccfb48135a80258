import { describe, expect, test } from "vitest";
import { createTokenBucket } from "./token-bucket.ts";

describe("a token bucket", () => {
  test("admits a burst, then a number of requests per second, and counts the rest", () => {
    const bucket = createTokenBucket({ perSecond: 10, burst: 50 });
    const passed = (now: number, times: number) =>
      Array.from({ length: times }, () => bucket.take(now)).filter(({ passes }) => passes).length;
    expect(passed(1000, 200)).toBe(50);
    expect(passed(1050, 10)).toBe(0);
    expect(bucket.take(1100)).toEqual({ passes: true, rejected: 160 });
    expect(passed(2100, 100)).toBe(10);
    expect(passed(3_600_000, 100)).toBe(50);
  });

  test("gains nothing when the clock is set back", () => {
    const bucket = createTokenBucket({ perSecond: 10, burst: 1 });
    expect(bucket.take(10_000).passes).toBe(true);
    expect(bucket.take(0).passes).toBe(false);
    expect(bucket.take(100).passes).toBe(true);
  });
});
