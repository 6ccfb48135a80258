import { seedByDate } from "../../scripts/seed-by-date.ts";

export const auditSeed = seedByDate("AUDIT_SEED");

export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32: the same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(from) {
      const one = from[Math.floor(next() * from.length)];
      if (one === undefined) throw new Error("there is nothing to pick from");
      return one;
    },
    chance: (probability) => next() < probability,
  };
}
