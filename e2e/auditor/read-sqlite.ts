import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import { findListDamage } from "../../server/store/sqlite/lists/list-index.ts";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { childLinkCodes } from "../../server/domain/runs/child-runs.ts";
import { createDecoder, stepKindCodes } from "../../server/domain/stored-codes.ts";
import { familiesSchema, storedRunSchema } from "./facts.ts";
import { parseJson, type StoreReader } from "./store-reader.ts";

const familyColumns = "run_id(id) AS id, run_status(status) AS status, output";
const familiesSql = {
  parents: `SELECT ${familyColumns} FROM run WHERE is_parent = 1`,
  children: `SELECT ${familyColumns}, run_id(child_of) AS parentId, child_step AS step, child_link(child_link) AS link FROM run WHERE child_of IS NOT NULL`,
  calls: `
    SELECT run_id(run.id) AS parentId, name AS step, result FROM run_step JOIN run ON run.seq = run_step.run
    WHERE run_step.kind = ${stepKindCodes.child}`,
};

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
                "SELECT id, json_extract(payload, '$.order') AS orderId, attachment_id AS attachmentId, delivery_id AS deliveryId, status, json_extract(output, '$.parcel') AS shipmentId, created_at - ? AS recordedAt FROM stored_run WHERE seq IN (SELECT seq FROM run WHERE child_of IS NULL) ORDER BY id",
              )
              .all(performance.timeOrigin),
          ),
      ),
    families: async () =>
      query(projectDir, (db) => {
        const linkOf = createDecoder(childLinkCodes);
        db.function("child_link", (code) => linkOf(Number(code)));
        return familiesSchema.parse(
          Object.fromEntries(
            Object.entries(familiesSql).map(([name, sql]) => [name, db.prepare(sql).all().map(parseJson)]),
          ),
        );
      }),
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
