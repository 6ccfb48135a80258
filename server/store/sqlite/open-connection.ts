import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { AppError } from "../../contract/app-error.ts";
import { refuseDamagedLog } from "./refuse-damaged-log.ts";
import { isBusy } from "./store-error.ts";

export type Connection = Database.Database;

const busyTimeoutMs = 5000;
const aloneTimeoutMs = 500;
const longestLogBytes = 64 * 1024 * 1024;

/**
 * Opens the file, made with its folder where it is missing, so that a commit is on disk when it returns. Changing to
 * WAL needs the file alone, and SQLite does not always wait for that: processes that open a new file together try
 * again. `isAlone`: nobody else has it open, nor can open it meanwhile; it is busy where somebody has.
 */
export async function openConnection(file: string, { isAlone = false } = {}): Promise<Connection> {
  createPrivately(file);
  refuseDamagedLog(file);
  for (const giveUpAt = performance.now() + (isAlone ? 0 : busyTimeoutMs); ; await delay(20)) {
    const connection = new Database(file, { timeout: isAlone ? aloneTimeoutMs : busyTimeoutMs });
    try {
      // Before anything is read: the log's index is kept in this process then, where nobody else can see it.
      if (isAlone) connection.pragma("locking_mode = EXCLUSIVE");
      configure(connection);
      return connection;
    } catch (error) {
      connection.close();
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
    }
  }
}

/** Bodies and inputs are nobody else's business. SQLite gives its `-wal` and `-shm` files the same rights. */
function createPrivately(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Never opens a file that exists: closing it again would drop the locks that this process may hold on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Where the folder is none, SQLite says so next.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw new AppError(
        "store_unusable",
        `The database ${file} cannot be created. Check DATABASE_URL and the permissions of its folder.`,
        { cause: error },
      );
    }
  }
}

function configure(connection: Connection): void {
  // Before anything is in a new file: room that is not needed any more can be given back a little at a time. (Where it is so already, SQLite would write it again.)
  if (connection.pragma("auto_vacuum", { simple: true }) !== 2) connection.pragma("auto_vacuum = INCREMENTAL");
  connection.pragma("journal_mode = WAL");
  // better-sqlite3 is built to run WAL with synchronous=NORMAL, which loses commits with the power.
  connection.pragma("synchronous = FULL");
  connection.pragma("fullfsync = ON"); // macOS only: a plain fsync leaves data in the drive's cache
  // A log that a burst or a long reader has made long is cut when it begins anew.
  connection.pragma(`journal_size_limit = ${longestLogBytes}`);
  connection.pragma("foreign_keys = ON");
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const wanted = { journal_mode: "wal", synchronous: 2, foreign_keys: 1, busy_timeout: busyTimeoutMs };
  for (const [name, value] of Object.entries(wanted)) {
    const actual = connection.pragma(name, { simple: true });
    if (actual === value) continue;
    throw new AppError(
      "store_unusable",
      `${connection.name} cannot be used: ${name} must be ${value}, but SQLite keeps it at ${String(actual)}. Network file systems cause this: store the database on a local disk.`,
    );
  }
}
