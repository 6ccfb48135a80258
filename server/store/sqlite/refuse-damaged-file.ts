import { statSync } from "node:fs";
import { AppError } from "../../contract/app-error.ts";
import type { Connection } from "./open-connection.ts";

/** A file of this size is looked through in some ten milliseconds; `signalbox doctor` looks through any. */
const longestLookBytes = 8 * 1024 * 1024;

/**
 * SQLite sees damage where it reads, which may be after it has written next to it. Looks at the whole of a small file, and at where each table
 * of a large one begins. Throws AppError `store_unusable`, or SQLite's own error.
 */
export function refuseDamagedFile(connection: Connection): void {
  if ((statSync(connection.name, { throwIfNoEntry: false })?.size ?? 0) > longestLookBytes) return readHeads(connection);
  const damage = connection.pragma("quick_check(1)", { simple: true });
  if (damage === "ok") return;
  throw new AppError(
    "store_unusable",
    `${connection.name} cannot be used as the store. The database file is damaged (${String(damage).replaceAll(/\s+/g, " ")}). Restore a backup, or save what can be read: sqlite3 <file> .recover.`,
  );
}

function readHeads(connection: Connection): void {
  for (const table of connection.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()) {
    connection.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get();
  }
}
