import type { HandBack, StoredRun } from "./facts.ts";

/** Reads the store for an audit, without the product's own code. */
export interface StoreReader {
  runs(): Promise<StoredRun[]>;
  /** `mark` changes whenever a run changes its state, or its timeline grows. */
  progress(): Promise<{ open: number; mark: string }>;
  /** When runs were taken over from dead processes. Empty if the store has no machines. */
  handBacks?(): Promise<HandBack[]>;
  /** The result of the database's own check, and of the comparison of the list index with the rows: "ok". */
  integrity(): Promise<string>;
}
