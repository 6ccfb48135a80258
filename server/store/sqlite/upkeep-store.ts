import { and, eq, lt, notInArray, sql } from "drizzle-orm";
import type { UpkeepBatch, UpkeepStore } from "../../ports/store/upkeep-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { listedSql } from "./list-index.ts";
import { prepareRemoveCounters } from "./remove-counters.ts";
import { prepareRemoveHistory } from "./remove-history.ts";
import { run, worker } from "./schema.ts";
import { isOpenSql } from "./stored-forms.ts";

/** Some room stays in the file: what comes next needs it. */
const freePagesKept = 256;
const freeShareKept = 0.05;
const pagesAtOnce = 64;

/** For tests, which look at the plan. */
export const nthNewestSql = `
  ${listedSql("delivery", { columns: "received_at, seq", index: "delivery_by_time", where: "TRUE" })} ORDER BY received_at DESC, seq DESC LIMIT 1 OFFSET ?`;

const rowsAtOnce = 500;
export const removeAuditSql = `DELETE FROM audit_entry WHERE rowid IN (SELECT rowid FROM audit_entry WHERE at < @before LIMIT ${rowsAtOnce})`;
export const removeSessionsSql = `DELETE FROM person_session WHERE rowid IN (SELECT rowid FROM person_session WHERE expires_at < @before LIMIT ${rowsAtOnce})`;
export const removeUnfinishedSignInsSql = `DELETE FROM person_verification WHERE rowid IN (SELECT rowid FROM person_verification WHERE expires_at < @before LIMIT ${rowsAtOnce})`;

/** Nothing here waits for the disk: what a power cut undoes is removed again. */
export function createUpkeepStore(database: SqliteDatabase): UpkeepStore {
  const { connection, read, write } = database;
  const nthNewest = connection.prepare<unknown[], number>(nthNewestSql).pluck();
  const removeAudit = connection.prepare(removeAuditSql);
  const removeExpired = [removeSessionsSql, removeUnfinishedSignInsSql].map((sql) => connection.prepare(sql));
  const history = prepareRemoveHistory(connection);
  const counters = prepareRemoveCounters(database);
  return {
    // One more than are kept tells whether there is anything to remove.
    findOldestOf: (newest) =>
      read(() => (nthNewest.get(newest) === undefined ? null : (nthNewest.get(newest - 1) ?? null))),
    removeOldDeliveries: (p) => write(() => history.removeDeliveries(p), "kill"),
    removeOldRuns: (p) => write(() => history.removeRuns(p), "kill"),
    removeOldKeys: (p) => write(() => counters.removeKeys(p), "kill"),
    removeOldCounters: (p) => write(() => counters.removeCounters(p), "kill"),
    removeOldWorkers: (before) => write(() => removeOldWorkers(database, before), "kill"),
    removeOldAudit: (p) => write(() => batchOf([removeAudit.run(p).changes]), "kill"),
    removeExpiredSignIns: (p) =>
      write(() => batchOf(removeExpired.map((statement) => statement.run(p).changes)), "kill"),
    async releaseSpace() {
      const pages = await read(() => pagesToRelease(database));
      if (pages <= 0) return false;
      await write(() => void connection.pragma(`incremental_vacuum(${Math.min(pages, pagesAtOnce)})`), "kill");
      return pages > pagesAtOnce;
    },
  };
}

function removeOldWorkers({ db }: SqliteDatabase, before: number): number {
  const running = db
    .selectDistinct({ workerId: run.workerId })
    .from(run)
    .where(and(sql.raw(isOpenSql), eq(run.status, "running")))
    .all();
  const busy = running.flatMap(({ workerId }) => workerId ?? []);
  return db
    .delete(worker)
    .where(and(lt(worker.seenAt, before), notInArray(worker.id, busy)))
    .run().changes;
}

function batchOf(changes: readonly number[]): UpkeepBatch<true> {
  return {
    removed: changes.reduce((sum, rows) => sum + rows, 0),
    next: changes.some((rows) => rows === rowsAtOnce) ? true : null,
  };
}

/** None where the file was made without `auto_vacuum`: its room is used again, but stays in it. */
function pagesToRelease({ connection }: SqliteDatabase): number {
  const [mode, free, pages] = ["auto_vacuum", "freelist_count", "page_count"].map((name) =>
    Number(connection.pragma(name, { simple: true })),
  );
  if (mode !== 2 || free === undefined || pages === undefined) return 0;
  return free - Math.max(freePagesKept, Math.floor(pages * freeShareKept));
}
