import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { findDamage } from "./find-damage.ts";
import type { Connection } from "./open-connection.ts";

/** A file of this size is checked in some ten milliseconds; `signalbox doctor` checks files of any size. */
const maxFullCheckBytes = 8 * 1024 * 1024;

/**
 * SQLite detects damage only where it reads, possibly after it has written next to it. Checks all of a small file, and
 * the beginning of each table of a large one. Throws SQLite's own error.
 */
export function rejectDamagedFile(connection: Connection): void {
  if ((statSync(connection.name, { throwIfNoEntry: false })?.size ?? 0) > maxFullCheckBytes)
    return readFirstRows(connection);
  const damage = findDamage(connection);
  if (damage !== null) throw new Database.SqliteError(damage, "SQLITE_CORRUPT");
}

function readFirstRows(connection: Connection): void {
  for (const table of connection
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all()) {
    connection.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get();
  }
}
