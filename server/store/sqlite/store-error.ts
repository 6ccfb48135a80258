import Database from "better-sqlite3";
import { AppError } from "../../contract/app-error.ts";

/** Failures that the disk or another process causes, not defects of this code. Extended codes begin with these codes. */
const causes: readonly (readonly [prefix: string, detail: string])[] = [
  ["SQLITE_BUSY", "The database is busy: another process held its lock for too long."],
  ["SQLITE_LOCKED", "The database is locked."],
  ["SQLITE_FULL", "The disk of the database is full."],
  ["SQLITE_IOERR", "The disk of the database cannot be read or written."],
  ["SQLITE_READONLY", "The database cannot be written: its file or folder is read-only."],
  [
    "SQLITE_CORRUPT",
    "The database file is damaged. Restore a backup, or save the readable part: sqlite3 <file> .recover.",
  ],
  ["SQLITE_NOTADB", "The file is not a SQLite database. Check SIGNALBOX_DATABASE_URL."],
  [
    "SQLITE_CANTOPEN",
    "The database file cannot be opened. Check SIGNALBOX_DATABASE_URL and the permissions of its folder.",
  ],
  ["SQLITE_PROTOCOL", "The database is busy: its lock could not be taken."],
  ["SQLITE_NOMEM", "There is not enough memory for the database."],
];

/**
 * Returns AppError `store_unavailable` for failures of the environment. Returns `not_found` for a row that refers to a
 * missing or removed one. Returns any other error unchanged.
 */
export function toStoreError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return missingReference(error);
  const known = code === null ? undefined : causes.find(([prefix]) => code.startsWith(prefix));
  return known ? new AppError("store_unavailable", known[1], { cause: error }) : error;
}

export function missingReference(cause?: unknown): AppError {
  return new AppError("not_found", "The row that this one refers to does not exist. Retention may have removed it.", {
    cause,
  });
}

/** The same for a store that cannot be opened. No sender reads this error, so it names the file. */
export function toOpenError(error: unknown, file: string): unknown {
  const known = toStoreError(error);
  if (!(known instanceof AppError) || known === error) return known;
  return new AppError(
    isBusy(error) ? "store_unavailable" : "store_unusable",
    `${file} cannot be used as the store. ${known.message}`,
    { cause: error },
  );
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith("SQLITE_BUSY") ?? false;
}

/** True if the whole store is currently unusable, not only a row. */
export function isUnavailable(error: unknown): boolean {
  const known = toStoreError(error);
  return known !== error && known instanceof AppError && known.code === "store_unavailable";
}

/** True if a system call failed. It is then unknown which writes are on disk. */
export function isDiskFailure(error: unknown): boolean {
  return sqliteCode(error)?.startsWith("SQLITE_IOERR") ?? false;
}

/** SQLite's own code, also of a wrapped error. */
function sqliteCode(error: unknown): string | null {
  if (error instanceof Database.SqliteError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : null;
}
