import * as fc from "fast-check";
import { expect, it } from "vitest";
import { barsOf, type Kind, minBarHeight, moveHandle, rangeOfDrag, rangeOfTimes, timesOf } from "./buckets.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const frame = {
  since: at(0),
  until: at(20),
  bucketMs: 120_000,
  buckets: Array.from({ length: 10 }, (_, index) => ({ at: at(index * 2) })),
};

it("a drag selects every bucket that it touched, in either direction, also beyond the plot", () => {
  expect(rangeOfDrag(0.25, 0.31, 10)).toEqual({ from: 2, to: 4 });
  expect(rangeOfDrag(0.31, 0.25, 10)).toEqual({ from: 2, to: 4 });
  expect(rangeOfDrag(-1, 7, 10)).toEqual({ from: 0, to: 10 });
});

it("handles stay within the plot and never meet", () => {
  expect(moveHandle({ from: 2, to: 4 }, "from", 5, 10)).toEqual({ from: 3, to: 4 });
  expect(moveHandle({ from: 2, to: 4 }, "from", -5, 10)).toEqual({ from: 0, to: 4 });
  expect(moveHandle({ from: 2, to: 4 }, "to", -5, 10)).toEqual({ from: 2, to: 3 });
  expect(moveHandle({ from: 2, to: 4 }, "to", 50, 10)).toEqual({ from: 2, to: 10 });
});

it("a range to the end stays open for new deliveries, and the full range has no times", () => {
  expect(timesOf({ from: 3, to: 10 }, frame)).toEqual({ since: at(6), until: null });
  expect(timesOf({ from: 0, to: 10 }, frame)).toEqual({ since: null, until: null });
  expect(timesOf({ from: 0, to: 3 }, frame)).toEqual({ since: at(0), until: at(6) });
});

it("every range converts to times and back", () => {
  fc.assert(
    fc.property(fc.nat(9), fc.integer({ min: 1, max: 10 }), (from, length) => {
      const range = { from, to: Math.min(10, from + length) };
      const isAll = range.from === 0 && range.to === 10;
      expect(rangeOfTimes(timesOf(range, frame), frame)).toEqual(isAll ? null : range);
    }),
  );
});

it("times outside of the frame select no bucket", () => {
  expect(rangeOfTimes({ since: at(30), until: null }, frame)).toBeNull();
  expect(rangeOfTimes({ since: null, until: at(-5) }, frame)).toBeNull();
  expect(rangeOfTimes({ since: at(-5), until: at(3) }, frame)).toEqual({ from: 0, to: 2 });
});

const kinds: readonly Kind[] = ["accepted", "skipped", "repeated", "rejected"];

it("a single delivery next to thousands is visible", () => {
  expect(barsOf({ kinds, counts: { accepted: 1 }, top: 40_000 })).toEqual([{ kind: "accepted", y: 95, height: 5 }]);
  expect(barsOf({ kinds, counts: { accepted: 39_999, rejected: 1 }, top: 40_000 })).toEqual([
    { kind: "accepted", y: 9, height: 91 },
    { kind: "rejected", y: 4, height: 5 },
  ]);
});

it("every count has a bar, stacked on the previous one, within the plot", () => {
  const counts = fc.record({ accepted: fc.nat(90_000), skipped: fc.nat(40), repeated: fc.nat(3), rejected: fc.nat(1) });
  fc.assert(
    fc.property(counts, fc.nat(90_000), (some, more) => {
      const total = some.accepted + some.skipped + some.repeated + some.rejected;
      const bars = barsOf({ kinds, counts: some, top: Math.max(1, total + more) });
      expect(bars.map(({ kind }) => kind)).toEqual(
        kinds.filter((kind) => (some as Record<string, number>)[kind] !== 0),
      );
      let ground = 100;
      for (const { y, height } of bars) {
        expect(height).toBeGreaterThanOrEqual(minBarHeight - 1e-9);
        expect(y + height).toBeCloseTo(ground);
        ground = y;
      }
      expect(ground).toBeGreaterThanOrEqual(4 - 1e-9);
    }),
  );
});

it("a count of zero has no bar", () => {
  expect(barsOf({ kinds, counts: {}, top: 1 })).toEqual([]);
});
