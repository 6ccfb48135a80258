import { join } from "node:path";
import { Client } from "pg";
import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import { runStatusCodes } from "../../server/domain/stored-codes.ts";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";

/** Reads a store beside the service, without its operations. Times are milliseconds since the epoch. */
export interface StoreReader {
  accepted(endpoint: string): Promise<number>;
  /** Whether a trigger has runs that have not ended. */
  hasOpen(trigger: string): Promise<boolean>;
  /** The completed runs of a trigger that were created since a moment. */
  completed(trigger: string, since: number): Promise<CompletedRun[]>;
  /** Transactions that were committed so far. `null`: the database does not count them. */
  commits(): Promise<number | null>;
  /** Rows that were written so far. `null`: the database does not count them. */
  writes(): Promise<number | null>;
  close(): Promise<void>;
}

export interface SqliteReader extends StoreReader {
  /** Whether any run has not ended. As cheap as possible, because it is called many times a second. */
  hasAnyOpen(): boolean;
  countCompleted(trigger: string): number;
}

const completedSchema = z.object({
  receivedAt: z.coerce.number().nullable(),
  startedAt: z.coerce.number(),
  finishedAt: z.coerce.number(),
  output: z.string().nullable(),
});
type CompletedRun = z.infer<typeof completedSchema>;

const acceptedSql = (delivery: string) =>
  `SELECT count(*) AS n FROM ${delivery} WHERE outcome = 'accepted' AND endpoint = $1`;
const ofTriggerSql = "trigger = (SELECT id FROM name WHERE text = $1)";
/** Queried repeatedly beside what is measured. */
const openSql = {
  sqlite: `SELECT count(*) AS n FROM (SELECT 1 FROM run WHERE ${isOpenSql} AND ${ofTriggerSql} LIMIT 1)`,
  postgres:
    "SELECT count(*) AS n FROM (SELECT 1 FROM run WHERE status IN ('queued', 'waiting', 'running') AND trigger = $1 LIMIT 1) AS o",
};
const anyOpenSql = `SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql})`;
const countCompletedSql = `SELECT count(*) AS n FROM run WHERE status = ${runStatusCodes.completed} AND ${ofTriggerSql}`;
const completedSql = ({ run, delivery, on }: { run: string; delivery: string; on: string }) => `
  SELECT delivery.received_at AS "receivedAt", run.started_at AS "startedAt", run.finished_at AS "finishedAt", run.output AS output
  FROM ${run} AS run LEFT JOIN ${delivery} AS delivery ON ${on} WHERE run.status = 'completed'`;
const countSchema = z.object({ n: z.coerce.number() });

/** The store of a project on SQLite. */
export function storeFileOf(folder: string): string {
  return join(folder, ".signalbox/signalbox.db");
}

export function openSqliteReader(file: string): SqliteReader {
  const db = openStored(file);
  const anyOpen = db.prepare<[], number>(anyOpenSql).pluck();
  const countOf = (sql: string, value: string) => countSchema.parse(db.prepare(sql.replace("$1", "?")).get(value)).n;
  return {
    accepted: async (endpoint) => countOf(acceptedSql("stored_delivery"), endpoint),
    hasOpen: async (trigger) => countOf(openSql.sqlite, trigger) > 0,
    hasAnyOpen: () => anyOpen.get() === 1,
    countCompleted: (trigger) => countOf(countCompletedSql, trigger),
    completed: async (trigger, since) =>
      z
        .array(completedSchema)
        .parse(
          db
            .prepare(
              `${completedSql({ run: "stored_run", delivery: "delivery", on: "delivery.seq = run.delivery" })} AND run.trigger = ? AND run.created_at >= ?`,
            )
            .all(trigger, since),
        ),
    commits: async () => null,
    writes: async () => null,
    async close() {
      db.close();
    },
  };
}

export async function openPostgresReader(url: string): Promise<StoreReader> {
  const client = new Client({ connectionString: url, options: "-c search_path=signalbox" });
  await client.connect();
  const countOf = async (sql: string, values: string[] = []) =>
    countSchema.parse((await client.query(sql, values)).rows[0]).n;
  return {
    accepted: (endpoint) => countOf(acceptedSql("delivery"), [endpoint]),
    hasOpen: async (trigger) => (await countOf(openSql.postgres, [trigger])) > 0,
    completed: async (trigger, since) =>
      z
        .array(completedSchema)
        .parse(
          (
            await client.query(
              `${completedSql({ run: "run", delivery: "delivery", on: "delivery.id = run.delivery_id" })} AND run.trigger = $1 AND run.created_at >= $2`,
              [trigger, since],
            )
          ).rows,
        ),
    commits: () => countOf("SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()"),
    // Not the number of transactions: autovacuum has some, too.
    writes: () => countOf("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint AS n FROM pg_stat_user_tables"),
    close: () => client.end(),
  };
}
