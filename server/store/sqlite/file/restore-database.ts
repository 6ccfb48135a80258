import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";
import { fsyncFolderOf, fsyncPath, checkCopy, type CopyContents, removeDraft } from "./check-copy.ts";
import { rejectDamagedLog } from "./reject-damaged-log.ts";
import { isBusy } from "../store-error.ts";

/**
 * Replaces the store with a backup. The backup is first copied and read completely. An existing store is kept beside
 * it, under the name that is returned as `keptAs`. There is a store at every moment. If it fails, it throws AppError
 * `store_unusable` and has changed nothing. `now` is in UTC milliseconds.
 */
export function restoreDatabase(p: {
  from: string;
  file: string;
  now: number;
}): CopyContents & { keptAs: string | null } {
  const { from, file, now } = p;
  assertRestorable(from, file);
  const draft = `${file}.restore-${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    copyFileSync(from, draft, constants.COPYFILE_EXCL);
    chmodSync(draft, 0o600);
    const contents = checkCopy(draft, from);
    fsyncPath(draft);
    const keptAs = existsSync(file)
      ? `${file}.before-restore-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`
      : null;
    if (keptAs) keepStore(file, keptAs);
    renameSync(draft, file);
    fsyncFolderOf(file);
    return { ...contents, keptAs };
  } finally {
    removeDraft(draft);
  }
}

function assertRestorable(from: string, file: string): void {
  if (!statSync(from, { throwIfNoEntry: false })?.isFile())
    throw new AppError("store_unusable", `The file ${from} does not exist.`, { fix: "Check the name of the backup." });
  if (existsSync(file) && realpathSync(from) === realpathSync(file))
    throw new AppError("store_unusable", `${from} is the store itself.`, { fix: "Name the file of a backup." });
  if ((statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new AppError(
    "store_unusable",
    `${from} has a write-ahead log (${from}-wal), so a part of it may be missing: it was copied from a store in use.`,
    { fix: "Create the backup with `signalbox backup`." },
  );
}

function keepStore(file: string, keptAs: string): void {
  if (existsSync(keptAs))
    throw new AppError("store_unusable", `${keptAs} already exists.`, {
      fix: "Move it away, or try again in a second.",
    });
  leaveWalMode(file);
  // These files exist if the store cannot be opened: SQLite would apply a log that stayed to the new file.
  for (const end of ["-wal", "-shm"]) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${keptAs}${end}`);
  linkSync(file, keptAs);
}

/**
 * Leaves WAL mode. SQLite does so only if no other connection has the file open, and moves all of the log into the
 * file.
 */
function leaveWalMode(file: string): void {
  try {
    // SQLite would remove a log that it cannot read.
    rejectDamagedLog(file);
    const connection = new Database(file, { fileMustExist: true, timeout: 500 });
    try {
      connection.pragma("journal_mode = DELETE");
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isBusy(error))
      throw new AppError("store_unusable", `${file} is in use by another process.`, {
        fix: "Stop the service first.",
        cause: error,
      });
    // The store is damaged, which the restore repairs.
  }
}
