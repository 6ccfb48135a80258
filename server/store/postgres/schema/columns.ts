import {
  bigint,
  bigserial,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  pgSchema,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { type ColumnTypes, jsonText, type NameColumns } from "../../core/column-types.ts";

/**
 * The schema of all tables: an application can use the same database. Every statement names it, so none depends on the
 * search_path, which a pooler in transaction mode does not keep.
 */
export const storeSchema = "signalbox";

export const { table: pgTable } = pgSchema(storeSchema);

/** Compared and sorted byte by byte in any collation of the database: ids and cursors depend on it. */
export const text = customType<{ data: string; driverData: string }>({ dataType: () => 'text COLLATE "C"' });

export const json = customType<{ data: unknown; driverData: string | null }>(jsonText);

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** UTC milliseconds, and counts. */
export const whole = (name: string) => bigint(name, { mode: "number" });

/** A `Date` for better-auth, stored as UTC milliseconds. */
const moment = customType<{ data: Date; driverData: number }>({
  dataType: () => "bigint",
  toDriver: (date) => date.getTime(),
  fromDriver: (ms) => new Date(ms),
});

type CoreTypes = ColumnTypes & NameColumns<string>;

export const columnTypes = {
  table: pgTable,
  index,
  uniqueIndex,
  text,
  whole,
  small: integer,
  real: doublePrecision,
  flag: boolean,
  moment,
  json,
  code: (column: string) => text(column),
  name: (column: string, p?: { isId: true }) => text(p?.isId ? `${column}_id` : column),
  ownId: (column: string) => text(column).primaryKey(),
  publicId: (column: string) => text(column),
  uuid: text,
  hex: text,
  ownKey: () => text("id"),
  reference: (table: string) => text(`${table}_id`),
  order: (column: string) => bigserial(column, { mode: "number" }).notNull(),
} satisfies Record<keyof CoreTypes, unknown> as unknown as CoreTypes;

type Columns = Record<string, { _: object }>;

/** Columns that the core describes, with their types in Postgres. */
export function columnsOf<Described extends Columns>(describe: (types: CoreTypes) => Described) {
  return describe(columnTypes) as unknown as {
    [Name in keyof Described]: { _: Omit<Described[Name]["_"], "dialect"> & { dialect: "pg" } };
  };
}
