import { describe, expect, it } from "vitest";
import { median, percentile, ratioByRounds } from "./statistics.ts";

describe("median", () => {
  it("is the middle of an odd number of values, in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it("is the mean of the two in the middle of an even number", () => {
    expect(median([10, 1, 2, 4])).toBe(3);
  });

  it("of no values is NaN", () => {
    expect(median([])).toBeNaN();
  });

  it("does not change the values", () => {
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

  it("of no values is NaN", () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe("ratioByRounds", () => {
  it("compares results of the same round, so that a slow round has no effect", () => {
    // The machine was ten times slower in the second round, for both.
    expect(ratioByRounds([50, 5, 60], [100, 10, 100])).toEqual({ median: 0.5, lowest: 0.5, highest: 0.6 });
  });

  it("throws for rounds without a second side", () => {
    expect(() => ratioByRounds([1, 2], [1])).toThrow("2 rounds cannot be compared with 1");
  });
});
