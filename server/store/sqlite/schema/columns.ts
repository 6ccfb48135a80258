import { customType, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type IdPrefix, type Packed, packedHex, packedId, type PackedText, packedUuid } from "../../../domain/ids.ts";
import { type Codes, createDecoder } from "../../../domain/stored-codes.ts";
import type { ColumnTypes } from "../../core/column-types.ts";

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value is preserved.
 * Drizzle's own JSON mode would write a placeholder's `null` as the text "null".
 */
export const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => "text",
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

export const columnTypes: ColumnTypes = {
  table: sqliteTable,
  index,
  uniqueIndex,
  text: (name) => text(name),
  whole: (name) => integer(name),
  flag: (name) => integer(name, { mode: "boolean" }),
  moment: (name) => integer(name, { mode: "timestamp_ms" }),
  json: (name) => json(name),
};

/** One of a few names, as its number. */
export function code<Name extends string>(column: string, codes: Codes<Name>) {
  return customType<{ data: Name; driverData: number }>({
    dataType: () => "integer",
    toDriver: (name) => codes[name],
    fromDriver: createDecoder(codes),
  })(column);
}

/** The number of a row in `name`. */
export const named = (column: string) => integer(column);

/** A public id: `run_01K9ZR7M3Q…` in 16 bytes. */
export const publicId = (column: string, prefix: IdPrefix) => packed(column, packedId(prefix));
export const hex = (column: string) => packed(column, packedHex);
export const uuid = (column: string) => packed(column, packedUuid);

function packed(column: string, { pack, unpack }: PackedText) {
  return customType<{ data: string; driverData: Packed }>({
    dataType: () => "blob",
    toDriver: pack,
    fromDriver: unpack,
  })(column);
}
