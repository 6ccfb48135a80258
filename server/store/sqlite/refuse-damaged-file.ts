import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { findDamage } from "./find-damage.ts";
import type { Connection } from "./open-connection.ts";

/** A file of this size is looked through in some ten milliseconds; `signalbox doctor` looks through any. */
const longestLookBytes = 8 * 1024 * 1024;

/**
 * SQLite sees damage where it reads, which may be after it has written next to it. Looks at the whole of a small file,
 * and at where each table of a large one begins. Throws SQLite's own error.
 */
export function refuseDamagedFile(connection: Connection): void {
  if ((statSync(connection.name, { throwIfNoEntry: false })?.size ?? 0) > longestLookBytes)
    return readHeads(connection);
  const damage = findDamage(connection);
  if (damage !== null) throw new Database.SqliteError(damage, "SQLITE_CORRUPT");
}

function readHeads(connection: Connection): void {
  for (const table of connection
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all()) {
    connection.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get();
  }
}
