import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import { findListDamage } from "../../server/store/sqlite/lists/list-index.ts";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { storedRunSchema } from "./facts.ts";
import type { StoreReader } from "./store-reader.ts";

/** Reads the database file of a project. */
export function readSqlite(projectDir: string): StoreReader {
  return {
    runs: async () =>
      query(projectDir, (db) =>
        z
          .array(storedRunSchema)
          .parse(
            db
              .prepare(
                "SELECT id, json_extract(payload, '$.order') AS orderId, attachment_id AS attachmentId, delivery_id AS deliveryId, status, json_extract(output, '$.parcel') AS shipmentId, created_at - ? AS recordedAt FROM stored_run ORDER BY id",
              )
              .all(performance.timeOrigin),
          ),
      ),
    progress: async () =>
      query(projectDir, (db) => {
        const open = z.number().parse(db.prepare(`SELECT count(*) FROM run WHERE ${isOpenSql}`).pluck().get());
        return { open, mark: `${open} ${String(db.prepare("SELECT max(changes) FROM store_change").pluck().get())}` };
      }),
    integrity: async () =>
      query(projectDir, (db) => {
        const found = z.string().parse(db.pragma("integrity_check", { simple: true }));
        return found === "ok" ? (findListDamage(db) ?? found) : found;
      }),
  };
}

/** Whether a worker responded when it was last reported. */
export function isAnyResponsive(projectDir: string): boolean {
  return query(projectDir, (db) => db.prepare("SELECT 1 FROM worker WHERE is_responsive = 1").get() !== undefined);
}

/** Whether the store is locked against writes, for longer than a commit takes. */
export function isLocked(projectDir: string): boolean {
  // Longer than a commit takes; much shorter than a lease, because no lease can be renewed meanwhile.
  const db = new Database(join(projectDir, ".signalbox/signalbox.db"), { timeout: 150 });
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    db.close();
  }
}

function query<T>(projectDir: string, read: (db: Database.Database) => T): T {
  const db = openStored(join(projectDir, ".signalbox/signalbox.db"));
  try {
    return read(db);
  } finally {
    db.close();
  }
}
