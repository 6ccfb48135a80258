/** The goal of a row, and whether the measured value meets it. NaN never does. */
interface Goal {
  goal: string | null;
  isMet: boolean | null;
}

export const noGoal: Goal = { goal: null, isMet: null };

export function atLeast(limit: number, value: number): Goal {
  return { goal: `≥ ${limit.toLocaleString("en")}`, isMet: value >= limit };
}

export function atMost(limit: number, value: number): Goal {
  return { goal: `≤ ${limit.toLocaleString("en")}`, isMet: value <= limit };
}
