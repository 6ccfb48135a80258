/** One line of the table. Texts are ready to be read. */
export interface Row {
  /** What was done, and how. */
  work: string;
  /** What was counted: "accepts a second", "ms, p50 / p99". */
  measure: string;
  ours: string;
  /** The other side, measured in the same run, with its name. `null`: there is none. */
  other: string | null;
  /** The ratio of ours to the other, with the lowest and highest of the rounds. */
  ratio: string | null;
  goal: string | null;
  isMet: boolean | null;
  durability: string;
}
