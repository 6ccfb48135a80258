import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketStarts, frameOfRange, frameOfWindow, storedBuckets } from "./time-frame.ts";

const now = Date.parse("2026-11-21T10:07:31.500Z");

test.each([
  ["15m", 15, "2026-11-21T09:53:00.000Z"],
  ["1h", 30, "2026-11-21T09:08:00.000Z"],
  ["24h", 24, "2026-11-20T11:00:00.000Z"],
  ["7d", 28, "2026-11-14T12:00:00.000Z"],
] as const)("a window of %s has %i whole buckets, the last one still filling", (window, buckets, since) => {
  const frame = frameOfWindow(window, now);
  const starts = bucketStarts(frame);
  expect([starts.length, new Date(frame.since).toISOString()]).toEqual([buckets, since]);
  expect(starts.at(-1)).toBeLessThanOrEqual(now);
  expect(frame.until).toBeGreaterThan(now);
});

test("every range is covered by at most 60 whole buckets, made of those that the store keeps", () => {
  const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      const [since, until] = [Math.min(a, b), Math.max(a, b)];
      const frame = frameOfRange(since, until);
      const starts = bucketStarts(frame);
      expect(starts.length).toBeLessThanOrEqual(60);
      expect(frame.since).toBeLessThanOrEqual(since);
      expect(frame.until).toBeGreaterThanOrEqual(until);
      expect([
        frame.since % frame.bucketMs,
        frame.until % frame.bucketMs,
        frame.bucketMs % storedBuckets(frame).bucketMs,
      ]).toEqual([0, 0, 0]);
      expect((starts.at(-1) ?? 0) + frame.bucketMs).toBe(frame.until);
    }),
  );
});

test("a range of minutes is shown by the minute", () => {
  expect(frameOfRange(now, now + 40 * 60_000).bucketMs).toBe(60_000);
});
