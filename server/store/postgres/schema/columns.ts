import { bigint, customType } from "drizzle-orm/pg-core";

/** Compared and sorted byte for byte, whatever the collation of the database: ids and cursors go by it. */
export const text = customType<{ data: string; driverData: string }>({ dataType: () => 'text COLLATE "C"' });

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value survives;
 * `jsonb` refuses both.
 */
export const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => "text",
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** UTC milliseconds, and counts. */
export const whole = (name: string) => bigint(name, { mode: "number" });

/** A `Date` for better-auth, stored as UTC milliseconds. */
export const moment = customType<{ data: Date; driverData: number }>({
  dataType: () => "bigint",
  toDriver: (date) => date.getTime(),
  fromDriver: (ms) => new Date(ms),
});
