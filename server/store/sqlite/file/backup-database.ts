import { closeSync, existsSync, linkSync, openSync, renameSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";
import { migrationsFolder } from "../../../paths.ts";
import { fsyncFolderOf, fsyncPath, checkCopy, type CopyContents, removeDraft } from "./check-copy.ts";
import { readSchemaVersion } from "./migrate.ts";
import { markClosed } from "./open-mark.ts";
import { rejectDamagedLog } from "./reject-damaged-log.ts";
import { toOpenError } from "../store-error.ts";

export type BackupStage = "copying" | "checking";

/**
 * Copies a snapshot of the store into a new file while other connections write: one read-only transaction that blocks
 * no writer. The copy is read completely before it gets its name. If it fails, it throws AppError `store_unusable` and
 * leaves no file. Blocks this thread.
 */
export function backUpDatabase(p: {
  file: string;
  to: string;
  onStage: (stage: BackupStage, bytes: number) => void;
}): CopyContents & { bytes: number } {
  const { file, to, onStage } = p;
  const exists = () =>
    new AppError("store_unusable", `${to} already exists and is not overwritten.`, {
      fix: "Use another name, or move the file away.",
    });
  if (existsSync(to)) throw exists();
  if (!existsSync(file))
    throw new AppError("store_unusable", `The store ${file} does not exist yet: there is nothing to back up.`, {
      fix: "If the service uses another database, set the same SIGNALBOX_DATABASE_URL.",
    });
  const draft = `${to}.partial-${process.pid}`;
  try {
    onStage("copying", statSync(file).size);
    copyInto(file, draft);
    onStage("checking", statSync(draft).size);
    const contents = checkCopy(draft, "The copy");
    fsyncPath(draft);
    if (!moveWithoutOverwriting(draft, to)) throw exists();
    fsyncFolderOf(to);
    return { ...contents, bytes: statSync(to).size };
  } finally {
    removeDraft(draft);
  }
}

function copyInto(file: string, draft: string): void {
  try {
    // Only the owner may read the file, also before it is complete.
    closeSync(openSync(draft, "wx", 0o600));
  } catch (cause) {
    throw new AppError("store_unusable", `${draft} cannot be written.`, {
      fix: "Check that its folder exists, and its permissions.",
      cause,
    });
  }
  rejectDamagedLog(file);
  try {
    const connection = new Database(file, { fileMustExist: true, timeout: 5000 });
    try {
      readSchemaVersion(connection, migrationsFolder("sqlite"));
      // Takes effect in the copy: a store that is restored from it can release free space.
      connection.pragma("auto_vacuum = INCREMENTAL");
      connection.prepare("VACUUM INTO ?").run(draft);
    } finally {
      connection.close();
      markClosed(file);
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}

/** Returns `false` if another process has created a file with this name. */
function moveWithoutOverwriting(draft: string, to: string): boolean {
  try {
    linkSync(draft, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
  }
  // The file system does not support links.
  if (existsSync(to)) return false;
  renameSync(draft, to);
  return true;
}
