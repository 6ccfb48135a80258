import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLogger } from "../../../ports/logger.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { connectionConfig, createPool } from "./connect.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

it.each([
  [false, "8s"],
  [true, "1h"],
])("every connection of a pool is bounded, patient %s", async (isPatient, maxStatement) => {
  const pool = createPool(await server.createDatabase("template1"), { max: 2, logger: silentLogger, isPatient });
  const ask = () =>
    pool.query(
      "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle",
    );
  for (const { rows } of await Promise.all([ask(), ask()]))
    expect(rows).toEqual([{ statement: maxStatement, lock: "5s", idle: "8s" }]);
  await pool.end();
});

it("nothing is asked for in the first message that a pooler does not know", () => {
  const known = new Set([
    "connectionString",
    "application_name",
    "connectionTimeoutMillis",
    "keepAlive",
    "keepAliveInitialDelayMillis",
    "query_timeout",
    "types",
  ]);
  expect(Object.keys(connectionConfig("postgres://db/x")).filter((name) => !known.has(name))).toEqual([]);
});
