import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askPostgres } from "../../scripts/ask-postgres.ts";
import type { Settings } from "../config.ts";
import { migrationsFolder } from "../paths.ts";
import { systemClock } from "../ports/clock.ts";
import { silentLogger } from "../ports/logger.ts";
import { migrateStore } from "./migrate-store.ts";
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
    const queue = kind === "postgres" ? ["pgboss"] : [];
    const all = readJournal(migrationsFolder(kind));
    const answers = await Promise.all(Array.from({ length: 10 }, () => migrate(database)));
    expect(answers.filter(({ applied }) => applied.length > 0).map(({ applied }) => applied)).toEqual([
      [...all, ...queue],
    ]);
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
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO serving;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO serving;
    CREATE SCHEMA pgboss;
    GRANT USAGE ON SCHEMA pgboss TO serving;
    ALTER DEFAULT PRIVILEGES IN SCHEMA pgboss GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO serving`,
  );
  const serving = url.replace("user=signalbox", "user=serving");
  await expect(openPostgresStore({ url: serving })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringContaining("the user may not create tables or schemas"),
  });
  await migrate({ kind: "postgres", url });
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
