import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";

/** Bytes of a SQLite database and its WAL after a checkpoint. Throws if the checkpoint is not complete. */
export function checkpointedBytes(file: string): number {
  const db = new Database(file);
  try {
    const isBusy = db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0;
    if (isBusy) throw new Error(`${file} could not be checkpointed: another process uses it`);
    return [file, `${file}-wal`].reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
  } finally {
    db.close();
  }
}
