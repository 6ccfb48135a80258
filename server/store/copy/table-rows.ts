import type { CopiedTable } from "./copy-plan.ts";
import type { Row, Value } from "./row.ts";

/** Where to go on behind: the values of the key by which a database pages. */
export type Place = readonly (string | number)[];

interface Portion {
  rows: Row[];
  /** Of the last row. */
  place: Place;
}

/** One store, as copies read it. Nobody else writes it as long as it is open. */
export interface TableReader {
  /** For messages, without a password. */
  name: string;
  countRows(table: CopiedTable): Promise<number>;
  /** The next rows behind a place, some megabytes at most unless one row alone has more; `null`: there are none. */
  readPortion(table: CopiedTable, after: Place | null): Promise<Portion | null>;
  /** The highest number that the table's counter ever gave; 0: none. */
  readCounter(table: CopiedTable): Promise<number>;
  close(): Promise<void>;
}

export interface CopySource extends TableReader {
  /** Tells stores apart, wherever they lie. */
  identity: string;
}

/** How far a table is copied. */
export interface TableProgress {
  after: Place | null;
  rows: number;
  isWhole: boolean;
}

export interface CopyTarget extends TableReader {
  /** Texts with half of a surrogate pair, which UTF-8 has no form for. */
  takesLoneSurrogates: boolean;
  /** What a copy that was broken off has done, by table; empty: this one begins. */
  progress: ReadonlyMap<string, TableProgress>;
  /** In one transaction: rows, and that they are there. */
  write(table: CopiedTable, rows: readonly Row[], progress: TableProgress): Promise<void>;
  /** In one transaction: counters go on above these numbers, and the target is a store like any other. */
  finish(counters: ReadonlyMap<CopiedTable, number>): Promise<void>;
}

/** As SQLite has it. */
export type RawValue = Exclude<Value, boolean>;

export interface PlacedRow {
  place: Place;
  row: Row;
}

/** The rows of one table of SQLite, in the form in which they are copied. */
export interface SqliteRows {
  count(): number;
  /** The next rows, in the order of their places. */
  readAfter(after: Place | null): Iterable<PlacedRow>;
  insert(row: Row): void;
}

/** A portion ends with the row that reaches either. */
export const portionRows = 2_000;
export const portionBytes = 4 * 1024 * 1024;

export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
