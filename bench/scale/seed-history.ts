import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { Client } from "pg";
import type { Store } from "../../server/ports/store.ts";
import { delivery, run, runEvent } from "../../server/store/postgres/schema.ts";
import { aRequest } from "../accepts/time-accepts.ts";

const rowsAtOnce = 100_000;
/** History of thirty days. */
const periodMs = 30 * 86_400_000;
const load = { verdicts: 1, endpoints: 1, inFlight: 1, count: 1, isAssigned: true };

/**
 * Writes deliveries, each with a completed run and its timeline: copies of one that the store has written itself, over
 * 200 endpoints and 30 days. Indexes are created afterwards. Returns the bytes of the database.
 */
export async function seedHistory(url: string, store: Store, finished: number): Promise<number> {
  const request = aRequest(load, 0);
  await store.acceptDelivery(request);
  const [first] = request.runs;
  if (!first?.assignment) throw new Error("The run is assigned");
  const { id: runId, assignment } = first;
  await store.writeProgress({
    runId,
    token: assignment.token,
    now: Date.now(),
    entries: [{ at: Date.now(), kind: "completed", attempt: 1 }],
    transition: { to: "completed", output: { ok: true } },
  });
  const client = new Client({ connectionString: url, options: "-c search_path=signalbox" });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    await client.query("SET maintenance_work_mem = '512MB'; SET statement_timeout = 0");
    const createIndexes = await dropIndexes(client);
    for (let from = 1; from <= finished; from += rowsAtOnce) {
      const range = [from, Math.min(finished, from + rowsAtOnce - 1), finished];
      for (const text of copySqls(request.delivery.id, runId)) await client.query(text, range);
    }
    for (const text of createIndexes) await client.query(text);
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
    const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

const deliveryId = `'dlv_01' || lpad(n::text, 24, '0')`;
const newRunId = `'run_01' || lpad(n::text, 24, '0')`;
const at = `(extract(epoch FROM now()) * 1000)::bigint - ((1 - n::float8 / $3) * ${periodMs})::bigint - 60000`;
const endpoint = `'team/endpoint-' || n % 200`;

/** The statements take the first and the last number, and how many there are in all. */
function copySqls(templateDelivery: string, templateRun: string): string[] {
  const trigger = `'trigger-' || n % 200`;
  return [
    copySql(delivery, `id = '${templateDelivery}'`, { id: deliveryId, endpoint, received_at: at }),
    copySql(run, `id = '${templateRun}'`, {
      id: newRunId,
      delivery_id: deliveryId,
      created_at: at,
      available_at: at,
      started_at: at,
      finished_at: `${at} + 5`,
      trigger,
    }),
    copySql(runEvent, `run_id = '${templateRun}'`, { run_id: newRunId, at }),
  ];
}

/** Copies one row of the table, with other values in some columns. */
function copySql(table: PgTable, where: string, changed: Record<string, string>): string {
  const names = Object.values(getTableColumns(table))
    .filter(({ columnType }) => !columnType.startsWith("PgBigSerial"))
    .map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? `t.${name}`);
  const name = getTableName(table);
  return `INSERT INTO ${name} (${names.join(", ")}) SELECT ${values.join(", ")} FROM generate_series($1::bigint, $2::bigint) AS n, (SELECT * FROM ${name} WHERE ${where}) AS t WHERE $3::bigint > 0 ORDER BY n`;
}

/** Drops the indexes of history that are no constraints. Returns the statements that create them. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid IN ('delivery'::regclass, 'run'::regclass, 'run_event'::regclass) AND NOT i.indisprimary`);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}
