import * as fc from "fast-check";

/** The random decisions of one case. */
export interface Draw {
  /** A whole number from `min` to `max`, both included. `min` if `max` is less. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
  of<T>(arbitrary: fc.Arbitrary<T>): T;
}

/** Every case has its own decisions, so that it can be repeated without the cases before it. */
export function drawCase(seed: number, number: number): Draw {
  const [generate] = fc.sample(fc.gen(), {
    seed: Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b),
    numRuns: 1,
  });
  if (!generate) throw new Error("fast-check has made no sample");
  const between = (min: number, max: number) => generate(fc.integer, { min, max: Math.max(min, max) });
  return {
    between,
    pick(from) {
      const one = from[between(0, from.length - 1)];
      if (one === undefined) throw new Error("there is nothing to pick from");
      return one;
    },
    chance: (probability) => between(0, 999) < probability * 1000,
    of: (arbitrary) => generate(() => arbitrary),
  };
}
