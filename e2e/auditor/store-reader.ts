import type { Families, HandBack, StoredRun } from "./facts.ts";

/** Reads the store for an audit, without the product's own code. */
export interface StoreReader {
  /** Those that deliveries have started. */
  runs(): Promise<StoredRun[]>;
  families(): Promise<Families>;
  /** `mark` changes whenever a run changes its state, or its timeline grows. */
  progress(): Promise<{ open: number; mark: string }>;
  /** When runs were taken over from dead processes. Empty if the store has no machines. */
  handBacks?(): Promise<HandBack[]>;
  /** The result of the database's own check, and of the comparison of the list index with the rows: "ok". */
  integrity(): Promise<string>;
}

/** A row whose columns `output` and `result` are JSON as text. */
export function parseJson(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(row)).map(([name, value]) => [
      name,
      (name === "output" || name === "result") && typeof value === "string" ? JSON.parse(value) : value,
    ]),
  );
}
