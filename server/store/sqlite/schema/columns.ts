import { customType, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value survives.
 * Drizzle's own JSON mode would write a placeholder's `null` as the text "null".
 */
export const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => "text",
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

export type ColumnTypes = typeof columnTypes;

/** For the tables that both databases have in the same form. */
export const columnTypes = {
  table: sqliteTable,
  index,
  uniqueIndex,
  text: (name: string) => text(name),
  /** UTC milliseconds, and counts. */
  whole: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  /** A `Date` for better-auth, stored as UTC milliseconds. */
  moment: (name: string) => integer(name, { mode: "timestamp_ms" }),
  json: (name: string) => json(name),
};
