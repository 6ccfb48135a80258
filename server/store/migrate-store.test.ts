import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askPostgres } from "../../scripts/ask-postgres.ts";
import type { Settings } from "../config.ts";
import { migrationsFolder } from "../paths.ts";
import { systemClock } from "../ports/clock.ts";
import { silentLogger } from "../ports/logger.ts";
import { migrateStore } from "./migrate-store.ts";
import { inspectPostgres } from "./postgres/inspect-database.ts";
import { openPostgresStore } from "./postgres/open-store.ts";
import { readJournal } from "./shared/migration-journal.ts";
import { openConnection } from "./sqlite/file/open-connection.ts";
import { aClaim, aDelivery, aRun, aVerdict, epoch } from "./testing/factories.ts";
import { type PostgresServer, startPostgres } from "./testing/postgres-server.ts";

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  server = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), "signalbox-migrate-store-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const empty: Record<Settings["database"]["kind"], () => Promise<Settings["database"]>> = {
  sqlite: async () => ({ kind: "sqlite", file: join(mkdtempSync(join(folder, "s-")), "new/ledger.db") }),
  postgres: async () => ({ kind: "postgres", url: await server.createDatabase("template1") }),
};
const kinds = ["sqlite", "postgres"] as const;
const migrate = (database: Settings["database"]) =>
  migrateStore({ database, clock: systemClock, logger: silentLogger });

async function execute(database: Settings["database"], sql: string): Promise<void> {
  if (database.kind === "sqlite") {
    const connection = await openConnection(database.file);
    connection.exec(sql);
    connection.close();
    return;
  }
  await askPostgres(database.url, sql);
}

it.each(kinds)(
  "ten concurrent migrations complete an empty %s store: one migrates, and later ones change nothing",
  async (kind) => {
    const database = await empty[kind]();
    const all = readJournal(migrationsFolder(kind));
    const answers = await Promise.all(Array.from({ length: 10 }, () => migrate(database)));
    expect(answers.filter(({ applied }) => applied.length > 0).map(({ applied }) => applied)).toEqual([all]);
    expect(new Set(answers.map(({ at }) => at))).toEqual(new Set([all.at(-1)]));
    expect((await migrate(database)).applied).toEqual([]);
  },
);

it.each(kinds)("a %s store of a newer version is rejected, and unchanged", async (kind) => {
  const database = await empty[kind]();
  await migrate(database);
  await execute(database, "INSERT INTO schema_migration (position, tag, applied_at) VALUES (1000, '9000_later', 0)");
  await expect(migrate(database)).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/newer Signalbox.*9000_later/s),
    fix: expect.stringMatching(/^Upgrade signalbox/),
  });
});

it("the name of a Postgres store is reported, not the password", async () => {
  const { url } = (await empty.postgres()) as { url: string };
  const { store } = await migrate({ kind: "postgres", url: `${url}&password=hunter2` });
  expect(store).not.toContain("hunter2");
});

it("a role that can only read and write rows can serve a store that another role migrated", async () => {
  const { url } = (await empty.postgres()) as { url: string };
  await execute(
    { kind: "postgres", url },
    `
    CREATE ROLE serving LOGIN;
    CREATE SCHEMA signalbox;
    GRANT USAGE ON SCHEMA signalbox TO serving;
    ALTER DEFAULT PRIVILEGES IN SCHEMA signalbox GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO serving;
    ALTER DEFAULT PRIVILEGES IN SCHEMA signalbox GRANT USAGE, SELECT ON SEQUENCES TO serving`,
  );
  const serving = url.replace("user=signalbox", "user=serving");
  await expect(openPostgresStore({ url: serving })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringContaining("the user may not create tables or schemas"),
  });
  await migrate({ kind: "postgres", url });
  expect(await inspectPostgres(serving)).toMatchObject({ mayWrite: true, mayMigrate: false });
  expect(await inspectPostgres(url)).toMatchObject({ mayWrite: true, mayMigrate: true });
  await execute({ kind: "postgres", url }, "REVOKE INSERT ON signalbox.run_event FROM serving");
  expect(await inspectPostgres(serving)).toMatchObject({ mayWrite: false });
  await execute({ kind: "postgres", url }, "GRANT INSERT ON signalbox.run_event TO serving");
  const store = await openPostgresStore({ url: serving });
  try {
    const delivery = aDelivery({ verdicts: [aVerdict()] });
    await store.acceptDelivery({
      delivery,
      runs: [aRun({ deliveryId: delivery.id })],
      idempotency: { key: "k", notBefore: 0 },
    });
    const [run] = await store.claimRuns(aClaim());
    expect(
      await store.writeProgress({
        runId: run?.id ?? "",
        token: run?.token ?? "",
        now: epoch + 2000,
        entries: [],
        transition: { to: "completed", output: 1 },
      }),
    ).toMatchObject({ held: true });
    await store.ping();
  } finally {
    await store.close();
  }
});

it("a role without privileges on the database serves from a schema that an administrator created for it", async () => {
  const { url } = (await empty.postgres()) as { url: string };
  await askPostgres(
    url,
    `CREATE ROLE owning LOGIN;
     CREATE SCHEMA signalbox AUTHORIZATION owning`,
  );
  const store = await openPostgresStore({ url: url.replace("user=signalbox", "user=owning") });
  await expect(store.ping()).resolves.toBeUndefined();
  await store.close();
});

/** Everything in a database that is not a part of Postgres or of the store, with its rows. */
const ofApplicationSql = `
  SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'signalbox') ORDER BY 1, 2`;

it("a store shares a database with an application that has tables of the same names, and leaves them unchanged", async () => {
  const { url } = (await empty.postgres()) as { url: string };
  const names = Array.from(
    readFileSync(join(migrationsFolder("postgres"), "0000_initial.sql"), "utf8").matchAll(
      /CREATE TABLE "signalbox"\."(\w+)"/g,
    ),
    ([, name]) => name,
  );
  await askPostgres(
    url,
    [...names, "schema_migration"].map((name) => `CREATE TABLE public.${name} (theirs integer);`).join("\n"),
  );
  const before = await askPostgres(url, ofApplicationSql);
  const store = await openPostgresStore({ url });
  try {
    const delivery = aDelivery({ verdicts: [aVerdict()] });
    await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency: null });
    expect(await store.claimRuns(aClaim())).toHaveLength(1);
  } finally {
    await store.close();
  }
  expect(await askPostgres(url, ofApplicationSql)).toEqual(before);
});

const foreignPostgres = [
  ["a table", "CREATE SCHEMA signalbox; CREATE TABLE signalbox.orders (id integer)", "signalbox", "orders"],
  ["a view", "CREATE SCHEMA signalbox; CREATE VIEW signalbox.report AS SELECT 1 AS n", "signalbox", "report"],
  [
    "a partitioned table",
    "CREATE SCHEMA signalbox; CREATE TABLE signalbox.events (at date) PARTITION BY RANGE (at)",
    "signalbox",
    "events",
  ],
  [
    "a table with one of our names",
    "CREATE SCHEMA signalbox; CREATE TABLE signalbox.run (id integer)",
    "signalbox",
    "run",
  ],
  [
    "other migrations",
    "CREATE SCHEMA signalbox; CREATE TABLE signalbox.schema_migration (version text)",
    "signalbox",
    "schema_migration",
  ],
] as const;

it.each(foreignPostgres)(
  "a Postgres schema that has %s of another program is rejected, named, and unchanged",
  async (_what, sql, schema, table) => {
    const { url } = (await empty.postgres()) as { url: string };
    await askPostgres(url, sql);
    const listSql = `SELECT relname FROM pg_class WHERE relnamespace IN ('${schema}'::regnamespace, 'public'::regnamespace)`;
    const before = await askPostgres(url, listSql);
    const rejected = {
      code: "store_unusable",
      message: expect.stringMatching(
        new RegExp(`^postgres://.* its schema ${schema} has tables of another program, for example ${table}\\.$`),
      ),
      fix: expect.stringContaining("Set SIGNALBOX_DATABASE_URL to another database"),
    };
    await expect(migrate({ kind: "postgres", url })).rejects.toMatchObject(rejected);
    await expect(openPostgresStore({ url })).rejects.toMatchObject(rejected);
    await expect(inspectPostgres(url)).rejects.toMatchObject(rejected);
    expect(await askPostgres(url, listSql)).toEqual(before);
  },
);
