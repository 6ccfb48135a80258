/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** Mulberry32: 32 bits of state, good enough to spread test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return { next, between, pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0] };
}
