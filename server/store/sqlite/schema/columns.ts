import { customType, integer } from "drizzle-orm/sqlite-core";

/**
 * JSON as text, `null` as NULL. JSON.stringify escapes lone surrogates and `\u0000`, so any JSON value survives.
 * Drizzle's own JSON mode would write a placeholder's `null` as the text "null".
 */
export const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => "text",
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

/** A `Date` for better-auth, stored as UTC milliseconds. */
export const moment = (name: string) => integer(name, { mode: "timestamp_ms" });
