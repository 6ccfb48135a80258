import type {
  customType,
  index,
  SQLiteBooleanBuilderInitial,
  SQLiteIntegerBuilderInitial,
  sqliteTable,
  SQLiteTextBuilderInitial,
  SQLiteTimestampBuilderInitial,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** The columns of a database, by what they mean. Typed as those of SQLite for both; see StoreDatabase. */
export interface ColumnTypes {
  table: typeof sqliteTable;
  index: typeof index;
  uniqueIndex: typeof uniqueIndex;
  text(name: string): SQLiteTextBuilderInitial<string, [string, ...string[]], undefined>;
  /** UTC milliseconds, and counts. */
  whole(name: string): SQLiteIntegerBuilderInitial<string>;
  flag(name: string): SQLiteBooleanBuilderInitial<string>;
  /** A `Date` for better-auth, stored as UTC milliseconds. */
  moment(name: string): SQLiteTimestampBuilderInitial<string>;
  json(name: string): Mapped<unknown, string | null>;
}

/** A column whose values are stored in another form. */
type Mapped<Data, Stored> = ReturnType<ReturnType<typeof customType<{ data: Data; driverData: Stored }>>>;
