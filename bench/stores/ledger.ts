import Database from "better-sqlite3";
import { Client } from "pg";
import { z } from "zod";

/** Looks into a store past all of the product's own code, beside the service. Times are milliseconds since the epoch. */
export interface Ledger {
  accepted(endpoint: string): Promise<number>;
  /** Runs of a trigger that have not ended. */
  open(trigger: string): Promise<number>;
  /** Of the completed runs of a trigger that were created since: what came of each. */
  completed(trigger: string, since: number): Promise<CompletedRun[]>;
  /** Transactions that were committed so far, where the database counts them. */
  commits(): Promise<number | null>;
  close(): Promise<void>;
}

const completedSchema = z.object({ receivedAt: z.coerce.number().nullable(), startedAt: z.coerce.number(), finishedAt: z.coerce.number(), output: z.string().nullable() });
type CompletedRun = z.infer<typeof completedSchema>;

const acceptedSql = "SELECT count(*) AS n FROM delivery WHERE outcome = 'accepted' AND endpoint = ";
const openSql = "SELECT count(*) AS n FROM run WHERE status IN ('queued', 'waiting', 'running') AND trigger = ";
const completedSql = `
  SELECT delivery.received_at AS "receivedAt", run.started_at AS "startedAt", run.finished_at AS "finishedAt", run.output AS output
  FROM run LEFT JOIN delivery ON delivery.id = run.delivery_id WHERE run.status = 'completed'`;
const countSchema = z.object({ n: z.coerce.number() });

export function openSqliteLedger(file: string): Ledger {
  const db = new Database(file, { readonly: true });
  const countOf = async (sql: string, value: string) => countSchema.parse(db.prepare(`${sql} ?`).get(value)).n;
  return {
    accepted: (endpoint) => countOf(acceptedSql, endpoint),
    open: (trigger) => countOf(openSql, trigger),
    completed: async (trigger, since) => z.array(completedSchema).parse(db.prepare(`${completedSql} AND run.trigger = ? AND run.created_at >= ?`).all(trigger, since)),
    commits: async () => null,
    async close() {
      db.close();
    },
  };
}

export async function openPostgresLedger(url: string): Promise<Ledger> {
  const client = new Client(url);
  await client.connect();
  const countOf = async (sql: string, values: string[] = []) => countSchema.parse((await client.query(sql, values)).rows[0]).n;
  return {
    accepted: (endpoint) => countOf(`${acceptedSql} $1`, [endpoint]),
    open: (trigger) => countOf(`${openSql} $1`, [trigger]),
    completed: async (trigger, since) => z.array(completedSchema).parse((await client.query(`${completedSql} AND run.trigger = $1 AND run.created_at >= $2`, [trigger, since])).rows),
    commits: () => countOf("SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()"),
    close: () => client.end(),
  };
}
