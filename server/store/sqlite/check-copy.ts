import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { AppError } from "../../contract/app-error.ts";
import { migrationsFolder } from "../../paths.ts";
import { readSchemaVersion } from "./migrate.ts";
import { isOpenSql } from "./stored-forms.ts";
import { toOpenError } from "./store-error.ts";

/** What a copy of the store has. */
export interface CopyContents {
  deliveries: number;
  runs: number;
  /** Runs that are queued, running or waiting in it: they go on when it is restored. */
  openRuns: number;
}

/**
 * Reads a whole copy. Throws AppError `store_unusable` where it is damaged, no store of ours, or of a newer version.
 * `name` is what it is called in messages.
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

/** With what SQLite may have made beside it. */
export function removeDraft(draft: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
}

/** Brings a file to disk; or a folder, so that the names in it last. */
export function bringToDisk(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function bringNameToDisk(file: string): void {
  // Windows opens no folders, and keeps names by itself.
  if (process.platform !== "win32") bringToDisk(dirname(file));
}
