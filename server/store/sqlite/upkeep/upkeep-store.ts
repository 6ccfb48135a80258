import { dirname } from "node:path";
import { and, eq, lt, notInArray, sql } from "drizzle-orm";
import { readDisk } from "../../../ports/disk.ts";
import type { ContentKeyStore } from "../../../ports/store/content-key-store.ts";
import type { UpkeepBatch, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import type { ClockWatchRows } from "../../core/clock-watch.ts";
import type { SqliteDatabase } from "../database.ts";
import { listedSql } from "../lists/list-index.ts";
import { findOldestOf } from "../../shared/find-oldest.ts";
import { runSync } from "../../shared/operation.ts";
import { prepareRemoveCounters } from "./remove-counters.ts";
import { prepareRemoveHistory } from "./remove-history.ts";
import { run, worker } from "../schema.ts";
import { isOpenSql } from "../stored-forms.ts";

/** Some free pages stay in the file for the next writes. */
const minFreePages = 256;
const minFreeShare = 0.05;
const maxPagesPerBatch = 64;

/** Exported for the test of its query plan. */
export const nthNewestSql = `
  ${listedSql("delivery", { columns: "received_at, seq", index: "delivery_by_time", where: "TRUE" })} ORDER BY received_at DESC, seq DESC LIMIT 1 OFFSET ?`;

export const oldestSql = `
  SELECT min(at) FROM (SELECT (SELECT received_at FROM delivery ORDER BY seq LIMIT 1) AS at UNION ALL SELECT (SELECT created_at FROM run ORDER BY seq LIMIT 1))`;

const countUnauthorizedSql = `
  SELECT count(*) FROM (${listedSql("delivery", {
    columns: "1",
    index: "delivery_by_response_status",
    where: "response_status = 401 AND received_at >= @since",
  })})`;

const maxRows = 500;
export const removeStartKeysSql = `DELETE FROM run_start WHERE rowid IN (SELECT rowid FROM run_start WHERE at < @before LIMIT ${maxRows})`;
export const removeAuditSql = `DELETE FROM audit_entry WHERE rowid IN (SELECT rowid FROM audit_entry WHERE at < @before LIMIT ${maxRows})`;
export const removeSessionsSql = `DELETE FROM person_session WHERE rowid IN (SELECT rowid FROM person_session WHERE expires_at < @before LIMIT ${maxRows})`;
export const removeUnfinishedSignInsSql = `DELETE FROM person_verification WHERE rowid IN (SELECT rowid FROM person_verification WHERE expires_at < @before LIMIT ${maxRows})`;

/** Removals do not wait for the disk: upkeep repeats those that a power failure undoes. */
export function createUpkeepStore(
  database: SqliteDatabase,
): Omit<UpkeepStore, keyof ClockWatchRows> & Pick<ContentKeyStore, "findOldest"> {
  const { connection, read, write } = database;
  const nthNewest = connection.prepare<unknown[], number>(nthNewestSql).pluck();
  const countUnauthorized = connection.prepare<unknown[], number>(countUnauthorizedSql).pluck();
  const removeStartKeys = connection.prepare(removeStartKeysSql);
  const removeAudit = connection.prepare(removeAuditSql);
  const removeExpired = [removeSessionsSql, removeUnfinishedSignInsSql].map((sql) => connection.prepare(sql));
  const history = prepareRemoveHistory(connection);
  const counters = prepareRemoveCounters(database);
  return {
    findOldestOf: (newest) =>
      read(() =>
        runSync(
          findOldestOf(newest, {
            nthNewest: (n) => nthNewest.get(n) ?? null,
            countUnauthorized: (since) => countUnauthorized.get({ since }) ?? 0,
          }),
        ),
      ),
    removeRejected: (ids) => write(() => history.removeRejected(ids), "page-cache"),
    findOldest: () => read(() => connection.prepare<[], number | null>(oldestSql).pluck().get() ?? null),
    removeOldDeliveries: (p) => write(() => history.removeDeliveries(p), "page-cache"),
    removeOldRuns: (p) => write(() => history.removeRuns(p), "page-cache"),
    removeOldKeys: (p) => write(() => counters.removeKeys(p), "page-cache"),
    removeOldCounters: (p) => write(() => counters.removeCounters(p), "page-cache"),
    removeOldWorkers: (before) => write(() => removeOldWorkers(database, before), "page-cache"),
    removeOldStartKeys: (p) => write(() => batchOf([removeStartKeys.run(p).changes]), "page-cache"),
    removeOldAudit: (p) => write(() => batchOf([removeAudit.run(p).changes]), "page-cache"),
    removeExpiredSignIns: (p) =>
      write(() => batchOf(removeExpired.map((statement) => statement.run(p).changes)), "page-cache"),
    async readSize() {
      const { pages, free, pageBytes } = await read(() => countPages(database));
      const { totalBytes } = await readDisk(dirname(connection.name));
      return { usedBytes: (pages - free) * pageBytes, diskBytes: totalBytes };
    },
    async releaseSpace() {
      const pages = await read(() => pagesToRelease(database));
      if (pages <= 0) return false;
      await write(
        () => void connection.pragma(`incremental_vacuum(${Math.min(pages, maxPagesPerBatch)})`),
        "page-cache",
      );
      return pages > maxPagesPerBatch;
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
    next: changes.some((rows) => rows === maxRows) ? true : null,
  };
}

function countPages({ connection }: SqliteDatabase): { pages: number; free: number; pageBytes: number } {
  const read = (name: string) => Number(connection.pragma(name, { simple: true }));
  return { pages: read("page_count"), free: read("freelist_count"), pageBytes: read("page_size") };
}

/** 0 if the file was created without `auto_vacuum`: SQLite reuses its free pages, but cannot release them. */
function pagesToRelease(database: SqliteDatabase): number {
  if (database.connection.pragma("auto_vacuum", { simple: true }) !== 2) return 0;
  const { pages, free } = countPages(database);
  return free - Math.max(minFreePages, Math.floor(pages * minFreeShare));
}
