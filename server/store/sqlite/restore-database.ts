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
import { AppError } from "../../contract/app-error.ts";
import { bringNameToDisk, bringToDisk, checkCopy, type CopyContents, removeDraft } from "./check-copy.ts";
import { refuseDamagedLog } from "./refuse-damaged-log.ts";
import { isBusy } from "./store-error.ts";

/**
 * Puts a backup in the store's place. It is copied and read whole first; the present store, where there is one, stays
 * beside it under the name that comes back as `keptAs`. At no moment is there no store. Throws AppError
 * `store_unusable`, and has changed nothing then. `now` is in UTC milliseconds.
 */
export function restoreDatabase(p: {
  from: string;
  file: string;
  now: number;
}): CopyContents & { keptAs: string | null } {
  const { from, file, now } = p;
  refuseUnlikely(from, file);
  const draft = `${file}.restore-${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    copyFileSync(from, draft, constants.COPYFILE_EXCL);
    chmodSync(draft, 0o600);
    const contents = checkCopy(draft, from);
    bringToDisk(draft);
    const keptAs = existsSync(file)
      ? `${file}.before-restore-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`
      : null;
    if (keptAs) setAside(file, keptAs);
    renameSync(draft, file);
    bringNameToDisk(file);
    return { ...contents, keptAs };
  } finally {
    removeDraft(draft);
  }
}

function refuseUnlikely(from: string, file: string): void {
  if (!statSync(from, { throwIfNoEntry: false })?.isFile())
    throw new AppError("store_unusable", `The file ${from} does not exist.`);
  if (existsSync(file) && realpathSync(from) === realpathSync(file))
    throw new AppError("store_unusable", `${from} is the store itself.`);
  if ((statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new AppError(
    "store_unusable",
    `${from} has a write-ahead log (${from}-wal), so a part of it may be missing: it was copied from a store in use. Create the backup with \`signalbox backup\`.`,
  );
}

function setAside(file: string, keptAs: string): void {
  if (existsSync(keptAs))
    throw new AppError("store_unusable", `${keptAs} already exists. Move it away, or try again in a second.`);
  takeAlone(file);
  // Of a store that cannot be opened: a log that stayed would be taken for that of the new file.
  for (const end of ["-wal", "-shm"]) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${keptAs}${end}`);
  linkSync(file, keptAs);
}

/** SQLite leaves WAL only where nobody else has the file open, and brings all of the log into it. */
function takeAlone(file: string): void {
  try {
    // SQLite would remove one that it cannot read.
    refuseDamagedLog(file);
    const connection = new Database(file, { fileMustExist: true, timeout: 500 });
    try {
      connection.pragma("journal_mode = DELETE");
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isBusy(error))
      throw new AppError("store_unusable", `${file} is in use by another process. Stop the service first.`, {
        cause: error,
      });
    // Damaged: the more reason to restore.
  }
}
