import { customType, index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type IdPrefix, type Packed, packedHex, packedId, type PackedText, packedUuid } from "../../../domain/ids.ts";
import { type Codes, createDecoder } from "../../../domain/stored-codes.ts";
import { type ColumnTypes, jsonText, type NameColumns } from "../../core/column-types.ts";

const json = customType<{ data: unknown; driverData: string | null }>(jsonText);

/** One of a few names, as its number. */
export function code<Name extends string>(column: string, codes: Codes<Name>) {
  return customType<{ data: Name; driverData: number }>({
    dataType: () => "integer",
    toDriver: (name) => codes[name],
    fromDriver: createDecoder(codes),
  })(column);
}

/** The number of a row in `name`. */
export const named = customType<{ data: number; driverData: unknown }>({ dataType: () => "integer" });

const rowKey = (column: string) =>
  customType<{ data: number | string; driverData: unknown }>({ dataType: () => "integer" })(column).notNull();

/** A public id: `run_01K9ZR7M3Q…` in 16 bytes. */
export const publicId = (column: string, prefix: IdPrefix) => packed(column, packedId(prefix));
export const hex = (column: string) => packed(column, packedHex);
const uuid = (column: string) => packed(column, packedUuid);

function packed(column: string, { pack, unpack }: PackedText) {
  return customType<{ data: string; driverData: Packed }>({
    dataType: () => "blob",
    toDriver: pack,
    fromDriver: unpack,
  })(column);
}

export const columnTypes: ColumnTypes & NameColumns<number> = {
  table: sqliteTable,
  index,
  uniqueIndex,
  text: (column) => text(column),
  whole: (column) => integer(column),
  small: (column) => integer(column),
  real: (column) => real(column),
  flag: (column) => integer(column, { mode: "boolean" }),
  moment: (column) => integer(column, { mode: "timestamp_ms" }),
  json: (column) => json(column),
  code,
  name: (column) => named(column),
  ownId: (column, prefix) => publicId(column, prefix).notNull(),
  publicId,
  uuid,
  hex,
  ownKey: () => rowKey("seq"),
  reference: (table) => rowKey(table),
  order: (column) => integer(column).primaryKey(),
};
