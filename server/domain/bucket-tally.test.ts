import { array, assert, constantFrom, double, oneof, property } from "fast-check";
import { expect, it } from "vitest";
import { createBucketTally } from "./bucket-tally.ts";

const bounds = [1, 2.5, 10];

it("every value is in exactly one bucket: that of the first bound that is not below it", () => {
  assert(
    property(array(oneof(constantFrom(0, 1, 2.5, 10), double({ min: 0, max: 100, noNaN: true }))), (values) => {
      const tally = createBucketTally(bounds);
      for (const value of values) tally.observe(value);
      const { counts, sum } = tally.read();
      const upTo = (bound: number) => values.filter((value) => value <= bound).length;
      expect([counts[0], (counts[0] ?? 0) + (counts[1] ?? 0), values.length - (counts[3] ?? 0)]).toEqual([
        upTo(1),
        upTo(2.5),
        upTo(10),
      ]);
      expect(counts.reduce((all, count) => all + count, 0)).toBe(values.length);
      expect(sum).toBeCloseTo(values.reduce((all, value) => all + value, 0));
    }),
  );
});

it("a result does not change while counting continues", () => {
  const tally = createBucketTally(bounds);
  const before = tally.read();
  tally.observe(3);
  expect([before, tally.read()]).toEqual([
    { counts: [0, 0, 0, 0], sum: 0 },
    { counts: [0, 0, 1, 0], sum: 3 },
  ]);
});
