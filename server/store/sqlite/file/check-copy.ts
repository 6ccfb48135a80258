import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { AppError } from "../../../contract/app-error.ts";
import { migrationsFolder } from "../../../paths.ts";
import { readSchemaVersion } from "./migrate.ts";
import { isOpenSql } from "../stored-forms.ts";
import { toOpenError } from "../store-error.ts";

/** The contents of a copy of the store. */
export interface CopyContents {
  deliveries: number;
  runs: number;
  /** Runs that are queued, running or waiting. They continue when the copy is restored. */
  openRuns: number;
}

/**
 * Reads a whole copy. Throws AppError `store_unusable` if it is damaged, is not a Signalbox store, or has a newer
 * version. Messages call it `name`.
 */
export function checkCopy(file: string, name = file): CopyContents {
  try {
    const copy = new Database(file, { fileMustExist: true });
    try {
      const damage = copy.pragma("integrity_check(1)", { simple: true });
      if (damage !== "ok") throw new AppError("store_unusable", `${name} is damaged: ${String(damage)}.`);
      const broken = copy.pragma("foreign_key_check");
      if (Array.isArray(broken) && broken.length > 0)
        throw new AppError(
          "store_unusable",
          `${name} is damaged: ${broken.length} of its rows refer to rows that do not exist.`,
        );
      readSchemaVersion(copy, migrationsFolder("sqlite"));
      const count = (sql: string) => copy.prepare<unknown[], number>(`SELECT count(*) FROM ${sql}`).pluck().get() ?? 0;
      return {
        deliveries: count("delivery"),
        runs: count("run"),
        openRuns: count(`run WHERE ${isOpenSql}`),
      };
    } finally {
      copy.close();
    }
  } catch (error) {
    throw toOpenError(error, name);
  }
}

/** Removes the draft and the files that SQLite may have created beside it. */
export function removeDraft(draft: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
}

/** Flushes a file to disk; or a folder, so that the names in it are durable. */
export function fsyncPath(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function fsyncFolderOf(file: string): void {
  // Windows cannot open folders, and writes names durably by itself.
  if (process.platform !== "win32") fsyncPath(dirname(file));
}
