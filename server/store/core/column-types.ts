import type { HasDefault, NotNull } from "drizzle-orm";
import type {
  index,
  SQLiteBooleanBuilderInitial,
  SQLiteCustomColumnBuilder,
  SQLiteIntegerBuilderInitial,
  SQLiteRealBuilderInitial,
  sqliteTable,
  SQLiteTextBuilderInitial,
  SQLiteTimestampBuilderInitial,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { IdPrefix, Packed } from "../../domain/ids.ts";
import type { Codes } from "../../domain/stored-codes.ts";

/** The columns of a database, by what they mean. Typed as those of SQLite for both; see StoreDatabase. */
export interface ColumnTypes {
  table: typeof sqliteTable;
  index: typeof index;
  uniqueIndex: typeof uniqueIndex;
  text(column: string): SQLiteTextBuilderInitial<string, [string, ...string[]], undefined>;
  /** UTC milliseconds, and large counts. */
  whole(column: string): SQLiteIntegerBuilderInitial<string>;
  /** Small counts. */
  small(column: string): SQLiteIntegerBuilderInitial<string>;
  real(column: string): SQLiteRealBuilderInitial<string>;
  flag(column: string): SQLiteBooleanBuilderInitial<string>;
  /** A `Date` for better-auth, stored as UTC milliseconds. */
  moment(column: string): SQLiteTimestampBuilderInitial<string>;
  json(column: string): Mapped<unknown, string | null>;
  /** One of a few names. */
  code<Code extends string>(column: string, codes: Codes<Code>): Mapped<Code, number>;
  /** The public id of the row: `run_01K9ZR7M3Q…`. */
  ownId(column: string, prefix: IdPrefix): NotNull<Mapped<string, Packed>>;
  publicId(column: string, prefix: IdPrefix): Mapped<string, Packed>;
  uuid(column: string): Mapped<string, Packed>;
  hex(column: string): Mapped<string, Packed>;
  /** The key by which rows of other tables refer to this row. */
  ownKey(): NotNull<Mapped<RowKey, unknown>>;
  reference(table: "run"): NotNull<Mapped<RowKey, unknown>>;
  /** An ascending number that the database assigns. */
  order(column: string): HasDefault<NotNull<SQLiteIntegerBuilderInitial<string>>>;
}

/** A number in SQLite, the public id in Postgres. */
export type RowKey = number | string;

/** Names that many rows share. In rows of SQLite, they are numbers: operations in the core read them as strings. */
export interface NameColumns<Form extends string | number> {
  /** `isId`: the name is an id, and the column of Postgres ends with `_id`. */
  name(column: string, p?: { isId: true }): Mapped<Form, unknown>;
}

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value is preserved;
 * `jsonb` rejects both. Drizzle's own JSON mode would write a placeholder's `null` as the text "null".
 */
export const jsonText = {
  dataType: () => "text",
  toDriver: (value: unknown) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value: string | null): unknown => (value === null ? null : JSON.parse(value)),
};

/** A column whose values are stored in another form. */
type Mapped<Data, Stored> = SQLiteCustomColumnBuilder<{
  name: string;
  dataType: "custom";
  columnType: "SQLiteCustomColumn";
  data: Data;
  driverParam: Stored;
  enumValues: undefined;
}>;
