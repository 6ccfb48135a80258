/** One line of the table. Texts are ready to be read. */
export interface Row {
  /** What was done, and how. */
  work: string;
  /** What was counted: "accepts a second", "ms, p50 / p99". */
  measure: string;
  ours: string;
  /** Beside it, in the same run, with its name; null without one. */
  other: string | null;
  /** Ours to the other, with the lowest and highest of the rounds. */
  ratio: string | null;
  goal: string | null;
  isMet: boolean | null;
  durability: string;
}
