import type { ContentKeyStore } from "../../../ports/store/content-key-store.ts";
import type { UpkeepBatch, UpkeepStore } from "../../../ports/store/upkeep-store.ts";
import type { ClockWatchRows } from "../../portable/clock-watch.ts";
import type { PostgresDatabase } from "../database.ts";
import { removeCounters, removeKeys } from "./remove-counters.ts";
import { removeDeliveries, removeRuns } from "./remove-history.ts";
import { removeUnusedQueues } from "../queue/remove-unused-queues.ts";
import type { Session } from "../connection/session.ts";

const removeWorkersSql =
  "DELETE FROM signalbox.worker WHERE seen_at < $1 AND NOT EXISTS (SELECT 1 FROM signalbox.run WHERE run.worker_id = worker.id)";

export const oldestSql =
  "SELECT least((SELECT min(received_at) FROM signalbox.delivery), (SELECT min(created_at) FROM signalbox.run)) AS at";

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
    // One row more than are kept shows whether there is anything to remove.
    findOldestOf: (newest) =>
      read(async (session) => {
        const rows = await session.rows<{ at: number }>(
          "SELECT received_at AS at FROM signalbox.delivery ORDER BY received_at DESC, id DESC LIMIT 2 OFFSET $1",
          [newest - 1],
        );
        return rows.length === 2 ? (rows[0]?.at ?? null) : null;
      }),
    findOldest: () => read(async (session) => (await session.rows<{ at: number | null }>(oldestSql))[0]?.at ?? null),
    removeOldDeliveries: (p) => writeRelaxed((session) => removeDeliveries(session, p)),
    removeOldRuns: (p) => writeRelaxed((session) => removeRuns(session, p)),
    removeOldKeys: (p) => writeRelaxed((session) => removeKeys(session, p)),
    removeOldCounters: (p) => writeRelaxed((session) => removeCounters(session, p)),
    async removeOldWorkers(before) {
      const removed = await writeRelaxed((session) => session.change(removeWorkersSql, [before]));
      await writeRelaxed((session) => removeUnusedQueues(session, before));
      return removed;
    },
    removeOldStartKeys: ({ before }) => writeRelaxed((session) => remove(session, [removeStartKeysSql], before)),
    removeOldAudit: ({ before }) => writeRelaxed((session) => remove(session, [removeAuditSql], before)),
    removeExpiredSignIns: ({ before }) => writeRelaxed((session) => remove(session, removeExpiredSql, before)),
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
