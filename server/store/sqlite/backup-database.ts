import { closeSync, existsSync, linkSync, openSync, renameSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../contract/app-error.ts";
import { migrationsFolder } from "../../paths.ts";
import { bringNameToDisk, bringToDisk, checkCopy, type CopyContents, removeDraft } from "./check-copy.ts";
import { readSchemaVersion } from "./migrate.ts";
import { refuseDamagedLog } from "./refuse-damaged-log.ts";
import { toOpenError } from "./store-error.ts";

export type BackupStage = "copying" | "checking";

/**
 * Copies the store as it is at this moment into a new file, while others write: one transaction that only reads, so
 * that nobody waits for it. The copy is read whole before it gets its name. Throws AppError `store_unusable`, and
 * leaves nothing behind then. Blocks this thread.
 */
export function backUpDatabase(p: {
  file: string;
  to: string;
  onStage: (stage: BackupStage, bytes: number) => void;
}): CopyContents & { bytes: number } {
  const { file, to, onStage } = p;
  const exists = () =>
    new AppError(
      "store_unusable",
      `${to} already exists and is not overwritten. Use another name, or move the file away.`,
    );
  if (existsSync(to)) throw exists();
  if (!existsSync(file))
    throw new AppError("store_unusable", `The store ${file} does not exist yet: there is nothing to back up.`);
  const draft = `${to}.partial-${process.pid}`;
  try {
    onStage("copying", statSync(file).size);
    copyInto(file, draft);
    onStage("checking", statSync(draft).size);
    const contents = checkCopy(draft, "The copy");
    bringToDisk(draft);
    if (!giveName(draft, to)) throw exists();
    bringNameToDisk(to);
    return { ...contents, bytes: statSync(to).size };
  } finally {
    removeDraft(draft);
  }
}

function copyInto(file: string, draft: string): void {
  try {
    // Nobody else may read it, also before it is done.
    closeSync(openSync(draft, "wx", 0o600));
  } catch (cause) {
    throw new AppError(
      "store_unusable",
      `${draft} cannot be written. Check that its folder exists, and its permissions.`,
      { cause },
    );
  }
  refuseDamagedLog(file);
  try {
    const connection = new Database(file, { fileMustExist: true, timeout: 5000 });
    try {
      readSchemaVersion(connection, migrationsFolder("sqlite"));
      // Takes effect in the copy: what is restored from it can give its room back.
      connection.pragma("auto_vacuum = INCREMENTAL");
      connection.prepare("VACUUM INTO ?").run(draft);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}

/** `false`: somebody else has taken the name meanwhile. */
function giveName(draft: string, to: string): boolean {
  try {
    linkSync(draft, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
  }
  // A file system without links.
  if (existsSync(to)) return false;
  renameSync(draft, to);
  return true;
}
