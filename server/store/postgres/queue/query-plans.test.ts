import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLogger } from "../../../ports/logger.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { type Session, sessionOf } from "../connection/session.ts";
import { dueQueuesSql } from "./claim-runs.ts";
import { openRunJobs, wokenPriority } from "./run-jobs.ts";

const jobs = 50_000;
let server: PostgresServer;
let client: Client;
beforeAll(async () => {
  server = await startPostgres();
  client = new Client(await server.createDatabase());
  await client.connect();
  // Half of them sleep for a day and are older than those that are due.
  await client.query(`
    SELECT signalbox_queue.create_queue('v1/shared', '{"policy": "standard"}');
    INSERT INTO signalbox_queue.job_common (id, name, data, priority, start_after, created_on)
    SELECT gen_random_uuid(), 'v1/shared', '{}', 2000000000 - (extract(epoch FROM now()) / 60)::int - 1440, now() + interval '1 day', now() - interval '1 h' FROM generate_series(1, ${jobs});
    INSERT INTO signalbox_queue.job_common (id, name, data, priority, start_after, created_on)
    SELECT gen_random_uuid(), 'v1/shared', '{}', 0, '2000-01-01', now() + n * interval '1 ms' FROM generate_series(1, ${jobs}) AS n;
    ANALYZE signalbox_queue.job_common`);
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

it("queues with due jobs are found by a step into the index, however many jobs wait or sleep", async () => {
  const { plan, pages } = await explain(dueQueuesSql, [wokenPriority(Date.now())]);
  expect(plan).toContain("job_common_i11");
  expect(plan).not.toContain("Seq Scan on job");
  expect(pages, plan).toBeLessThan(100);
});

it.each([{ kind: "queued" as const }, { kind: "woken" as const, now: Date.now() }])(
  "a fetch of jobs that are due reads those and no others: $kind",
  async (due) => {
    const plans: { plan: string; pages: number }[] = [];
    const session: Session = {
      ...sessionOf(client),
      async executeSql(text, values = []) {
        if (!text.includes("SKIP LOCKED")) return sessionOf(client).executeSql(text, values);
        plans.push(await explain(text, values));
        return { rows: [] };
      },
    };
    const queue = await openRunJobs(session, { logger: silentLogger });
    await queue.take(session, "v1/shared", { limit: 20, due });
    await queue.close();
    const [fetched] = plans;
    expect(fetched?.plan).toContain("job_common_i11");
    expect(fetched?.plan).not.toContain("Seq Scan");
    expect(fetched?.pages, fetched?.plan).toBeLessThan(1_000);
  },
);
