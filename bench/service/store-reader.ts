import { join } from "node:path";
import Database from "better-sqlite3";
import { Client } from "pg";
import { z } from "zod";

/** Reads a store beside the service, without any code of the product. Times are milliseconds since the epoch. */
export interface StoreReader {
  accepted(endpoint: string): Promise<number>;
  /** Whether a trigger has runs that have not ended. */
  hasOpen(trigger: string): Promise<boolean>;
  /** The completed runs of a trigger that were created since a moment. */
  completed(trigger: string, since: number): Promise<CompletedRun[]>;
  /** Transactions that were committed so far. `null`: the database does not count them. */
  commits(): Promise<number | null>;
  close(): Promise<void>;
}

export interface SqliteReader extends StoreReader {
  /** Whether any run has not ended. As cheap as possible: asked many times a second. */
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

const acceptedSql = "SELECT count(*) AS n FROM delivery WHERE outcome = 'accepted' AND endpoint = $1";
const countCompletedSql = "SELECT count(*) AS n FROM run WHERE status = 'completed' AND trigger = $1";
const openSql =
  "SELECT count(*) AS n FROM (SELECT 1 FROM run WHERE status IN ('queued', 'waiting', 'running') AND trigger = $1 LIMIT 1) AS o";
/** Each part is the condition of a partial index. */
const anyOpenSql =
  "SELECT EXISTS (SELECT 1 FROM run WHERE status IN ('queued', 'waiting')) OR EXISTS (SELECT 1 FROM run WHERE status = 'running')";
const completedSql = `
  SELECT delivery.received_at AS "receivedAt", run.started_at AS "startedAt", run.finished_at AS "finishedAt", run.output AS output
  FROM run LEFT JOIN delivery ON delivery.id = run.delivery_id WHERE run.status = 'completed'`;
const countSchema = z.object({ n: z.coerce.number() });

/** The store of a project on SQLite. */
export function storeFileOf(folder: string): string {
  return join(folder, ".signalbox/signalbox.db");
}

export function openSqliteReader(file: string): SqliteReader {
  const db = new Database(file, { readonly: true });
  const anyOpen = db.prepare<[], number>(anyOpenSql).pluck();
  const countOf = (sql: string, value: string) => countSchema.parse(db.prepare(sql.replace("$1", "?")).get(value)).n;
  return {
    accepted: async (endpoint) => countOf(acceptedSql, endpoint),
    hasOpen: async (trigger) => countOf(openSql, trigger) > 0,
    hasAnyOpen: () => anyOpen.get() === 1,
    countCompleted: (trigger) => countOf(countCompletedSql, trigger),
    completed: async (trigger, since) =>
      z
        .array(completedSchema)
        .parse(db.prepare(`${completedSql} AND run.trigger = ? AND run.created_at >= ?`).all(trigger, since)),
    commits: async () => null,
    async close() {
      db.close();
    },
  };
}

export async function openPostgresReader(url: string): Promise<StoreReader> {
  const client = new Client(url);
  await client.connect();
  const countOf = async (sql: string, values: string[] = []) =>
    countSchema.parse((await client.query(sql, values)).rows[0]).n;
  return {
    accepted: (endpoint) => countOf(acceptedSql, [endpoint]),
    hasOpen: async (trigger) => (await countOf(openSql, [trigger])) > 0,
    completed: async (trigger, since) =>
      z
        .array(completedSchema)
        .parse(
          (await client.query(`${completedSql} AND run.trigger = $1 AND run.created_at >= $2`, [trigger, since])).rows,
        ),
    commits: () => countOf("SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()"),
    close: () => client.end(),
  };
}
