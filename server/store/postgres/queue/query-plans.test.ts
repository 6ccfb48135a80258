import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { dueQueuesSql, takeRunsSql } from "./claim-runs.ts";

const runs = 50_000;
const now = Date.now();
const insertSql = (status: string, availableAt: string) => `
  INSERT INTO signalbox.run (id, status, target_kind, target_slug, target, started_by, version, max_attempts, created_at, available_at)
  SELECT 'run_${status}_' || n, '${status}', 'workflow', 'a', 'workflow:a', 'webhook', 'v1', 1, 0, ${availableAt} FROM generate_series(1, ${runs}) AS n;`;

let server: PostgresServer;
let client: Client;
beforeAll(async () => {
  server = await startPostgres();
  client = new Client(await server.createDatabase());
  await client.connect();
  // Half of them sleep for a day and are older than those that are due.
  await client.query(`
    ${insertSql("waiting", `${now + 86_400_000}`)}
    ${insertSql("queued", "n")}
    UPDATE signalbox.run SET available_at = 0 WHERE id IN ('run_waiting_1', 'run_waiting_2');
    ANALYZE signalbox.run`);
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

/** The plan of a statement that was executed, with the pages that it read. */
async function explain(text: string, values: unknown[]): Promise<{ plan: string; pages: number }> {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, values);
  const lines = rows.map((row) => row["QUERY PLAN"]);
  const [, hit = "0"] = /shared hit=(\d+)/.exec(lines.find((line) => line.includes("Buffers:")) ?? "") ?? [];
  return { plan: lines.join("\n"), pages: Number(hit) };
}

it("queues with due runs are found by a step into the index, however many runs wait or sleep", async () => {
  const { plan, pages } = await explain(dueQueuesSql, [false, now]);
  expect(plan).toContain("run_in_queue");
  expect(plan).not.toContain("Seq Scan on run");
  expect(pages, plan).toBeLessThan(100);
});

it.each(["queued", "woken"] as const)("a claim of runs that are due reads those and no others: %s", async (part) => {
  const slots = Array.from({ length: 20 }, () => "wrk_a");
  await client.query("BEGIN");
  const { plan, pages } = await explain(takeRunsSql[part], [false, "v1", "", slots, [], now, 12_000, null]);
  await client.query("ROLLBACK");
  expect(plan).toContain("run_in_queue");
  expect(plan).not.toContain("Seq Scan");
  expect(plan).not.toContain("Sort");
  expect(pages, plan).toBeLessThan(2_000);
});
