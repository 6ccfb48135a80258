import * as fc from "fast-check";
import { expect, it } from "vitest";
import { moveHandle, rangeOfDrag, rangeOfTimes, timesOf } from "./brush.ts";

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
