import type { ContentKeyStore } from "../../../ports/store/content-key-store.ts";
import type { UpkeepBatch, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import type { ClockWatchRows } from "../../core/clock-watch.ts";
import type { PostgresDatabase } from "../database.ts";
import { removeCounters, removeKeys } from "./remove-counters.ts";
import { removeDeliveries, removeRuns } from "./remove-history.ts";
import { findOldestOf } from "../../shared/find-oldest.ts";
import { runAsync } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";

const removeWorkersSql =
  "DELETE FROM signalbox.worker WHERE seen_at < $1 AND NOT EXISTS (SELECT 1 FROM signalbox.run WHERE run.worker_id = worker.id)";

export const oldestSql =
  "SELECT least((SELECT min(received_at) FROM signalbox.delivery), (SELECT min(created_at) FROM signalbox.run)) AS at";

const nthNewestSql =
  "SELECT received_at AS at FROM signalbox.delivery ORDER BY received_at DESC, id DESC LIMIT 1 OFFSET $1";
const countUnauthorizedSql =
  "SELECT count(*) AS count FROM signalbox.delivery WHERE response_status = 401 AND received_at >= $1";
const removeRejectedSql =
  "DELETE FROM signalbox.delivery d WHERE id = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM signalbox.run WHERE run.delivery_id = d.id)";

const rowsAtOnce = 1_000;
const removeSql = (table: string, time: string) =>
  `DELETE FROM signalbox.${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM signalbox.${table} WHERE ${time} < $1 LIMIT ${rowsAtOnce}))`;
const removeStartKeysSql = removeSql("run_start", "at");
const removeAuditSql = removeSql("audit_entry", "at");
const removeExpiredSql = [removeSql("person_session", "expires_at"), removeSql("person_verification", "expires_at")];

/** Nothing here waits for the disk: if a crash undoes a removal, the next upkeep repeats it. */
export function createUpkeepStore({
  read,
  writeRelaxed,
}: PostgresDatabase): Omit<UpkeepStore, keyof ClockWatchRows> & Pick<ContentKeyStore, "findOldest"> {
  return {
    findOldestOf: (newest) =>
      read((session) =>
        runAsync(
          findOldestOf(newest, {
            nthNewest: async (n) => (await session.rows<{ at: number }>(nthNewestSql, [n]))[0]?.at ?? null,
            countUnauthorized: async (since) =>
              Number((await session.rows<{ count: number }>(countUnauthorizedSql, [since]))[0]?.count ?? 0),
          }),
        ),
      ),
    removeRejected: (ids) => writeRelaxed((session) => session.change(removeRejectedSql, [ids])),
    findOldest: () => read(async (session) => (await session.rows<{ at: number | null }>(oldestSql))[0]?.at ?? null),
    removeOldDeliveries: (p) => writeRelaxed((session) => removeDeliveries(session, p)),
    removeOldRuns: (p) => writeRelaxed((session) => removeRuns(session, p)),
    removeOldKeys: (p) => writeRelaxed((session) => removeKeys(session, p)),
    removeOldCounters: (p) => writeRelaxed((session) => removeCounters(session, p)),
    removeOldWorkers: (before) => writeRelaxed((session) => session.change(removeWorkersSql, [before])),
    removeOldStartKeys: ({ before }) => writeRelaxed((session) => remove(session, [removeStartKeysSql], before)),
    removeOldAudit: ({ before }) => writeRelaxed((session) => remove(session, [removeAuditSql], before)),
    removeExpiredSignIns: ({ before }) => writeRelaxed((session) => remove(session, removeExpiredSql, before)),
    readSize: async () => null,
    // Postgres uses the space again by itself.
    releaseSpace: async () => false,
  };
}

async function remove(session: Session, statements: readonly string[], before: number): Promise<UpkeepBatch<true>> {
  let removed = 0;
  let next: true | null = null;
  for (const sql of statements) {
    const rows = await session.change(sql, [before]);
    removed += rows;
    if (rows === rowsAtOnce) next = true;
  }
  return { removed, next };
}
