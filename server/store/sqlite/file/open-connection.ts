import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";
import { findLostLog, markClosed, markOpen } from "./open-mark.ts";
import { rejectDamagedLog } from "./reject-damaged-log.ts";
import { isBusy } from "../store-error.ts";

export type Connection = Database.Database;

const busyTimeoutMs = 5000;
const exclusiveTimeoutMs = 500;
const maxLogBytes = 64 * 1024 * 1024;

/**
 * Opens the file so that a commit is on disk when it returns. Creates the file and its folder if they are missing.
 * Changing to WAL needs exclusive access, and SQLite does not always wait for that, so processes that open a new file
 * at the same time retry. `isExclusive`: no other process has the file open or can open it. If another process has it
 * open, it rejects with SQLITE_BUSY. Rejects with AppError `store_unusable` for the database of another program.
 */
export async function openConnection(file: string, { isExclusive = false } = {}): Promise<Connection> {
  createPrivately(file);
  rejectDamagedLog(file);
  const lostSince = findLostLog(file, Date.now()) === null ? null : await findLostLogAgain(file);
  for (const giveUpAt = performance.now() + (isExclusive ? 0 : busyTimeoutMs); ; await delay(20)) {
    const connection = new Database(file, { timeout: isExclusive ? exclusiveTimeoutMs : busyTimeoutMs });
    try {
      // Set before the first read: the index of the log is then private to this process.
      if (isExclusive) connection.pragma("locking_mode = EXCLUSIVE");
      // Before anything is written, such as the journal mode.
      rejectForeignFile(connection);
      configure(connection);
      return marked(connection, file, lostSince);
    } catch (error) {
      connection.close();
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
    }
  }
}

/** Another process may have just closed the file: it removes the log first, then the mark. */
async function findLostLogAgain(file: string): Promise<string | null> {
  await delay(100);
  return findLostLog(file, Date.now());
}

/** Marks the file as open until the last connection is closed. */
function marked(connection: Connection, file: string, lostSince: string | null): Connection {
  // A read creates the log.
  connection.pragma("schema_version");
  markOpen(file, lostSince);
  const close = connection.close.bind(connection);
  connection.close = () => {
    close();
    markClosed(file);
    return connection;
  };
  return connection;
}

/** Opens a database that exists only in this process, until it is closed. */
export function openMemoryConnection(): Connection {
  const connection = new Database(":memory:");
  connection.pragma("foreign_keys = ON");
  return connection;
}

/**
 * Only the owner can read the file, because bodies and inputs are private. SQLite gives its `-wal` and `-shm` files the
 * same permissions.
 */
function createPrivately(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Never opens an existing file: closing it would drop the locks that this process can have on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // If the path of the folder is not a folder, SQLite reports it next.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw new AppError("store_unusable", `The database ${file} cannot be created.`, {
        fix: "Check SIGNALBOX_DATABASE_URL and the permissions of its folder.",
        cause: error,
      });
    }
  }
}

function configure(connection: Connection): void {
  // Set before the first write to a new file, so that free space can be released in small steps. (If it is already set,
  // SQLite would write it again.)
  if (connection.pragma("auto_vacuum", { simple: true }) !== 2) connection.pragma("auto_vacuum = INCREMENTAL");
  connection.pragma("journal_mode = WAL");
  // better-sqlite3 is built to run WAL with synchronous=NORMAL, which loses commits in a power failure.
  connection.pragma("synchronous = FULL");
  connection.pragma("fullfsync = ON"); // macOS only: a plain fsync leaves data in the drive's cache
  // A log that grew in a burst or under a long reader is truncated when it restarts.
  connection.pragma(`journal_size_limit = ${maxLogBytes}`);
  connection.pragma("foreign_keys = ON");
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const wanted = { journal_mode: "wal", synchronous: 2, foreign_keys: 1, busy_timeout: busyTimeoutMs };
  for (const [name, value] of Object.entries(wanted)) {
    const actual = connection.pragma(name, { simple: true });
    if (actual === value) continue;
    throw new AppError(
      "store_unusable",
      `${connection.name} cannot be used: ${name} must be ${value}, but SQLite keeps it at ${String(actual)}. Network file systems cause this.`,
      { fix: "Store the database on a local disk." },
    );
  }
}

/** A table or a view, unless the file has our migrations. */
const foreignSql = `
  SELECT name FROM sqlite_master
  WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND NOT EXISTS (SELECT 1 FROM pragma_table_info('schema_migration') WHERE name = 'tag')
  ORDER BY name LIMIT 1`;

/** Throws AppError `store_unusable` if the file is the database of another program. It only reads. */
function rejectForeignFile(connection: Connection): void {
  const name = connection.prepare<[], string>(foreignSql).pluck().get();
  if (name === undefined) return;
  throw new AppError(
    "store_unusable",
    `${connection.name} cannot be used as the store: it is the database of another program, for example with ${name}.`,
    { fix: "Set SIGNALBOX_DATABASE_URL to another file: the store creates it." },
  );
}
