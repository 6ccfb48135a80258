import type { HandBack, StoredRun } from "./facts.ts";

/** How an audit reads what lies in the store, past all of the product's own code. */
export interface StoreReader {
  runs(): Promise<StoredRun[]>;
  /** `mark` changes whenever a run moves, or a line is added to its timeline. */
  progress(): Promise<{ open: number; mark: string }>;
  /** When runs were taken from processes that were gone. Empty if the store has no machines. */
  handBacks?(): Promise<HandBack[]>;
  /** Open runs without their job, and jobs without their run, at this moment. Absent if runs have no jobs. */
  disagreements?(): Promise<string[]>;
  /** What the database says of its own state, and whether the list index equals the rows: "ok". */
  integrity(): Promise<string>;
}
