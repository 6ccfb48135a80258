import type { Connection } from "./open-connection.ts";

/** The first damage that SQLite's quick check of all pages finds, in SQLite's words; `null`: none. */
export function findDamage(connection: Connection): string | null {
  const found = String(connection.pragma("quick_check(1)", { simple: true }));
  return found === "ok" ? null : found;
}
