import type { CopiedTable } from "./copy-plan.ts";
import type { Row, Value } from "./row.ts";

/** The key of the last read row, by which a database pages. */
export type Cursor = readonly (string | number)[];

interface Portion {
  rows: Row[];
  /** The cursor of the last row. */
  cursor: Cursor;
}

/** Reads one store for a copy. No other process writes to it as long as it is open. */
export interface TableReader {
  /** For messages, without a password. */
  name: string;
  countRows(table: CopiedTable): Promise<number>;
  /** The next rows after a cursor; `null` if there are none. At most some megabytes, unless a single row is larger. */
  readPortion(table: CopiedTable, after: Cursor | null): Promise<Portion | null>;
  /** The highest number that the table's counter ever returned; 0: none. */
  readCounter(table: CopiedTable): Promise<number>;
  close(): Promise<void>;
}

export interface CopySource extends TableReader {
  /** Identifies the store, regardless of its location. */
  identity: string;
}

/** The progress of a table. */
export interface TableProgress {
  after: Cursor | null;
  rows: number;
  isWhole: boolean;
}

export interface CopyTarget extends TableReader {
  /** Whether it stores strings with half of a surrogate pair, which UTF-8 cannot represent. */
  takesLoneSurrogates: boolean;
  /** The progress of an interrupted copy, by table; empty for a new copy. */
  progress: ReadonlyMap<string, TableProgress>;
  /** Writes rows and the progress in one transaction. */
  write(table: CopiedTable, rows: readonly Row[], progress: TableProgress): Promise<void>;
  /** In one transaction: sets the counters to continue above these numbers, and makes the target a normal store. */
  finish(counters: ReadonlyMap<CopiedTable, number>): Promise<void>;
}

/** A value as SQLite stores it. */
export type RawValue = Exclude<Value, boolean>;

export interface RowWithCursor {
  cursor: Cursor;
  row: Row;
}

/** The rows of one SQLite table, in the form in which they are copied. */
export interface SqliteRows {
  count(): number;
  /** The next rows, in the order of their cursors. */
  readAfter(after: Cursor | null): Iterable<RowWithCursor>;
  insert(row: Row): void;
}

/** A portion ends with the row that reaches either limit. */
export const portionRows = 2_000;
export const portionBytes = 4 * 1024 * 1024;

export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
