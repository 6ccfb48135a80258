import { describe, expect, it } from "vitest";
import { median, percentile, ratioByRounds } from "./statistics.ts";

describe("median", () => {
  it("is the middle of an odd number of values, whatever their order", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it("is the mean of the two in the middle of an even number", () => {
    expect(median([10, 1, 2, 4])).toBe(3);
  });

  it("of nothing is no number, and nothing that looks like one", () => {
    expect(median([])).toBeNaN();
  });

  it("leaves the values as they were", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("percentile", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, at) => at + 1);

  it.each([
    [0.5, 50],
    [0.99, 99],
    [0.999, 100],
    [1, 100],
    [0, 1],
  ])("%f of 1 to 100 is %i, by the nearest rank", (part, value) => {
    expect(percentile(hundred, part)).toBe(value);
  });

  it("of one value is that value", () => {
    expect(percentile([7], 0.99)).toBe(7);
  });

  it("of nothing is no number", () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe("ratioByRounds", () => {
  it("compares what was measured in the same round, so that a slow round does not count", () => {
    // The machine was ten times slower in the second round, for both.
    expect(ratioByRounds([50, 5, 60], [100, 10, 100])).toEqual({ median: 0.5, lowest: 0.5, highest: 0.6 });
  });

  it("refuses rounds that have no other side", () => {
    expect(() => ratioByRounds([1, 2], [1])).toThrow("2 rounds cannot be compared with 1");
  });
});
