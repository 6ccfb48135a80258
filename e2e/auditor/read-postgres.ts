import { Client } from "pg";
import { z } from "zod";
import { familiesSchema, storedRunSchema } from "./facts.ts";
import { parseJson, type StoreReader } from "./store-reader.ts";

const progressSchema = z.tuple([z.object({ open: z.coerce.number(), last: z.coerce.string() })]);

/** Payloads are JSON as text. The product escapes characters that Postgres rejects; orders have none of them. */
const runsSql = `
  SELECT id, payload::json ->> 'order' AS "orderId", attachment_id AS "attachmentId", delivery_id AS "deliveryId", status, output::json ->> 'parcel' AS "shipmentId" FROM run WHERE child_of IS NULL ORDER BY id`;

const familiesSql = {
  parents: "SELECT id, status, output FROM run WHERE is_parent",
  children: `SELECT id, status, output, child_of AS "parentId", child_step AS step, child_link AS link FROM run WHERE child_of IS NOT NULL`,
  calls: `SELECT run_id AS "parentId", name AS step, result FROM run_step WHERE kind = 'child'`,
};

/** Reads every table and every index, and looks up each row in its indexes. Raises an error for each difference. */
const integritySql = `
  CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public;
  SELECT public.bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = 'signalbox'::regnamespace;`;
const heapSql = `SELECT concat(c.relname, ': ', h.msg) AS what FROM pg_class c CROSS JOIN LATERAL public.verify_heapam(c.oid) AS h WHERE c.relkind = 'r' AND c.relnamespace = 'signalbox'::regnamespace`;

/** Opens a connection for each query, because idle connections are killed, too. */
export function readPostgres(url: string): StoreReader {
  return {
    runs: async () => z.array(storedRunSchema).parse(await query(url, runsSql)),
    async families() {
      const parts = await Promise.all(
        Object.entries(familiesSql).map(
          async ([name, text]) => [name, (await query(url, text)).map(parseJson)] as const,
        ),
      );
      return familiesSchema.parse(Object.fromEntries(parts));
    },
    async progress() {
      const [{ open, last }] = progressSchema.parse(
        await query(
          url,
          "SELECT count(*) FILTER (WHERE status IN ('queued', 'waiting', 'running')) AS open, (SELECT max(id) FROM run_event) AS last FROM run",
        ),
      );
      return { open, mark: `${open} ${last}` };
    },
    async handBacks() {
      const rows = z
        .array(z.object({ runId: z.string(), at: z.coerce.number() }))
        .parse(await query(url, `SELECT run_id AS "runId", at FROM run_event WHERE kind = 'worker_lost'`));
      return rows.map(({ runId, at }) => ({ runId, at: at - performance.timeOrigin }));
    },
    async integrity() {
      try {
        await query(url, integritySql);
        const found = z.array(z.object({ what: z.string() })).parse(await query(url, heapSql));
        return found.length === 0 ? "ok" : found.map(({ what }) => what).join("; ");
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({
    connectionString: url,
    options: "-c search_path=signalbox",
    application_name: "auditor",
    connectionTimeoutMillis: 10_000,
  });
  // Its end is visible to the auditor.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
