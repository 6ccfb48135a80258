import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "../../../domain/ids.ts";
import { silentLogger } from "../../../ports/logger.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { sessionOf } from "../connection/session.ts";
import { schemaName } from "./queue-names.ts";
import { type JobState, openRunJobs, type RunJobs } from "./run-jobs.ts";

let server: PostgresServer;
let client: Client;
beforeAll(async () => {
  server = await startPostgres();
  client = new Client(await server.createDatabase());
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

async function startBoss(): Promise<PgBoss> {
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => client.query(text, values) },
    schema: schemaName,
    migrate: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
  });
  await boss.start();
  return boss;
}

const queue = "v1/shared";
const tomorrow = Date.UTC(2026, 10, 24, 9, 30, 15, 123);
const alwaysDue = "2000-01-01T00:00:00Z";

it.each<[JobState, { startAfter: string; priority: number }]>([
  [{ kind: "queued" }, { startAfter: alwaysDue, priority: 0 }],
  [{ kind: "interrupted" }, { startAfter: alwaysDue, priority: 1 }],
  [{ kind: "running" }, { startAfter: alwaysDue, priority: 0 }],
  [
    { kind: "waiting", until: tomorrow },
    { startAfter: new Date(tomorrow).toISOString(), priority: 2_000_000_000 - Math.floor(tomorrow / 60_000) },
  ],
])("the job of a run that is $kind is the same as one that pg-boss inserts, and fetches", async (state, options) => {
  const boss = await startBoss();
  const jobs = await openRunJobs(sessionOf(client), { logger: silentLogger });
  const [runId, id] = [newId("run"), randomUUID()];
  // One transaction: both have the same time.
  await client.query("BEGIN");
  await jobs.add(sessionOf(client), [{ runId, queue, state }]);
  await boss.insert(queue, [{ id, data: { run: runId }, ...options }]);
  if (state.kind === "running") await boss.fetch(queue);
  const { rows } = await client.query(`SELECT to_jsonb(j) - 'id' AS job FROM ${schemaName}.job j`);
  await client.query("ROLLBACK");
  await boss.stop({ graceful: false, close: false });
  await jobs.close();
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
});

it.each<{ state: JobState; due: Parameters<RunJobs["take"]>[2]["due"] }>([
  { state: { kind: "queued" }, due: { kind: "queued" } },
  { state: { kind: "interrupted" }, due: { kind: "queued" } },
  { state: { kind: "waiting", until: Date.UTC(2026, 0) }, due: { kind: "woken", now: Date.UTC(2026, 0) } },
])("a job that is taken is the same as one that pg-boss fetches: $state.kind", async ({ state, due }) => {
  const boss = await startBoss();
  const jobs = await openRunJobs(sessionOf(client), { logger: silentLogger });
  const [taken, fetched] = [newId("run"), newId("run")];
  const jobOf = `SELECT to_jsonb(j) - 'id' - 'data' AS job FROM ${schemaName}.job j WHERE data->>'run' = $1`;
  await client.query("BEGIN");
  await jobs.add(sessionOf(client), [{ runId: taken, queue, state }]);
  expect(await jobs.take(sessionOf(client), queue, { limit: 2, due })).toEqual([taken]);
  await jobs.add(sessionOf(client), [{ runId: fetched, queue, state }]);
  expect(await boss.fetch(queue)).toMatchObject([{ data: { run: fetched } }]);
  const rows = [...(await client.query(jobOf, [taken])).rows, ...(await client.query(jobOf, [fetched])).rows];
  await client.query("ROLLBACK");
  await boss.stop({ graceful: false, close: false });
  await jobs.close();
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ job: { state: "active" } });
  expect(rows[0]).toEqual(rows[1]);
});
