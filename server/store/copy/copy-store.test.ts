import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { createKeyCipher } from "../../auth/keys/service-secret.ts";
import type { Settings } from "../../config.ts";
import type { Store } from "../../ports/store.ts";
import { openPostgresStore } from "../postgres/open-store.ts";
import { openConnection } from "../sqlite/file/open-connection.ts";
import { openSqliteStore } from "../sqlite/open-store.ts";
import { aClaim, aDelivery, aKey, aRun, epoch, kindsOf, withRunningRun } from "../testing/factories.ts";
import { fillEveryTable } from "../testing/fill-every-table.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { notCopied, planCopy } from "./copy-plan.ts";
import { type CopyProgress, copyStore } from "./copy-store.ts";
import type { Row } from "./row.ts";
import { createSqliteTables } from "./sqlite-tables.ts";

type Database = Settings["database"];

let server: PostgresServer;
let folder: string;
let full: string;
beforeAll(async () => {
  server = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), "signalbox-copy-"));
  full = join(folder, "full.db");
  await (await openSqliteStore({ file: full })).close();
  const connection = await openConnection(full);
  fillEveryTable(connection, 40);
  connection.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

let made = 0;
beforeEach(() => void (made += 1));

const file = (name: string): Database & { kind: "sqlite" } => ({
  kind: "sqlite",
  file: join(folder, `${made}-${name}.db`),
});
const emptyPostgres = async (): Promise<Database & { kind: "postgres" }> => ({
  kind: "postgres",
  url: await server.createDatabase("template1"),
});
const copy = (from: Database, to: Database, onProgress: (progress: CopyProgress) => void = () => {}) =>
  copyStore({ from, to, onProgress });

/** All rows of a file in the form and order of the copy, and the counters of its tables. */
async function dump(name: string): Promise<Record<string, unknown[]>> {
  const connection = await openConnection(name);
  try {
    const tables = createSqliteTables(connection);
    const rows = planCopy().map((table) => [
      table.name,
      [...tables.of(table).readAfter(null)].map(({ row }) => row).sort(byText),
    ]);
    const counters = connection
      .prepare("SELECT name, seq FROM sqlite_sequence WHERE name IN ('delivery', 'traffic_log') ORDER BY name")
      .all();
    return { ...Object.fromEntries(rows), counters };
  } finally {
    connection.close();
  }
}

function byText(one: Row, other: Row): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

async function tablesOf(name: string): Promise<string[]> {
  const connection = await openConnection(name);
  try {
    return connection
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_migration'")
      .pluck()
      .all()
      .filter((table) => !table.startsWith("sqlite_"));
  } finally {
    connection.close();
  }
}

it("every table of both databases is copied, or excluded with a reason", async () => {
  const planned = new Set([...planCopy().map(({ name }) => name), ...notCopied.keys()]);
  const postgres = await askPostgres<{ name: string }>(
    await server.createDatabase(),
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'signalbox' AND tablename <> 'schema_migration'",
  );
  // SQLite stores idempotency keys in the rows of deliveries.
  const sqlite = ["idempotency_key", ...(await tablesOf(full))];
  expect(new Set([...postgres.map(({ name }) => name), ...notCopied.keys()])).toEqual(planned);
  expect(new Set([...sqlite, ...notCopied.keys()])).toEqual(planned);
});

it("from SQLite to Postgres and back, every row of every table and the counters are unchanged", async () => {
  const [middle, back] = [await emptyPostgres(), file("back")];
  const there = await copy({ kind: "sqlite", file: full }, middle);
  expect(there.tables.map(({ name }) => name)).toEqual(planCopy().map(({ name }) => name));
  expect(there.tables.every(({ rows }) => rows === 40)).toBe(true);
  const decided = await askPostgres<{ decided: string }>(
    middle.url,
    "SELECT decided FROM delivery ORDER BY position LIMIT 2",
  );
  expect(decided.map((row) => row.decided)).toEqual(['\n["t0\\u0000","matched"]\n', '\n["t1\\u0000","matched"]\n']);
  const returned = await copy(middle, back);
  expect(returned.tables).toEqual(there.tables);
  expect(await dump(back.file)).toEqual(await dump(full));
});

it("a file can also be copied to a file, and a database to a database", async () => {
  const [first, second, third] = [file("first"), await emptyPostgres(), await emptyPostgres()];
  await copy({ kind: "sqlite", file: full }, first);
  expect(await dump(first.file)).toEqual(await dump(full));
  const { tables } = await copy(first, second);
  expect((await copy(second, third)).tables).toEqual(tables);
});

it.each(["postgres", "sqlite"] as const)(
  "a copy to %s that is interrupted at any moment continues where it was, and ends with every row once",
  async (kind) => {
    let steps = 0;
    const whole = await copy({ kind: "sqlite", file: full }, file("whole"), () => void (steps += 1));
    for (const at of [2, Math.floor(steps / 2), steps - 1, steps]) {
      const target = kind === "sqlite" ? file(`interrupted-${at}`) : await emptyPostgres();
      let left = at;
      const interrupt = () => {
        left -= 1;
        if (left === 0) throw new Error("interrupted");
      };
      await expect(copy({ kind: "sqlite", file: full }, target, interrupt)).rejects.toThrow("interrupted");
      const open =
        target.kind === "sqlite" ? openSqliteStore({ file: target.file }) : openPostgresStore({ url: target.url });
      await expect(open).rejects.toMatchObject({
        code: "store_unusable",
        fix: expect.stringContaining("Run the same `signalbox store copy` again"),
      });
      expect((await copy({ kind: "sqlite", file: full }, target)).tables).toEqual(whole.tables);
      await (
        target.kind === "sqlite" ? openSqliteStore({ file: target.file }) : openPostgresStore({ url: target.url })
      ).then((store) => store.close());
    }
  },
);

it("the target has the data of the source, and continues from it: bodies, keys, runs, timelines, numbers", async () => {
  const [source, target] = [file("source"), await emptyPostgres()];
  const cipher = createKeyCipher("a secret of thirty characters!");
  const body = randomBytes(25 * 1024 * 1024);
  const payload = { text: "\u0000 \ud800 \ufffe", nested: ["😀"] };
  const delivery = aDelivery({ body });
  const key = aKey({ ciphertext: cipher.seal("sbk_original") });
  const store = await openSqliteStore({ file: source.file });
  const held = await withRunningRun(store);
  await endWithTimeline(store);
  await store.acceptDelivery({
    delivery,
    runs: [aRun({ deliveryId: delivery.id, payload })],
    idempotency: { key: "same", notBefore: 0 },
  });
  await store.createKey(key);
  const before = {
    delivery: await store.getDelivery(delivery.id),
    runs: await store.listRuns({}, { limit: 10, cursor: null }),
    timelines: await timelinesOf(store),
  };
  await store.close();

  await copy(source, target);
  const there = await openPostgresStore({ url: target.url });
  try {
    const found = await there.getDelivery(delivery.id);
    expect(Buffer.from(found?.body ?? "", "base64").equals(body)).toBe(true);
    expect({ ...found, body: null }).toEqual({ ...before.delivery, body: null });
    expect(await there.listRuns({}, { limit: 10, cursor: null })).toEqual(before.runs);
    expect(await timelinesOf(there)).toEqual(before.timelines);
    expect((await there.listKeyCiphertexts("webhook")).map(({ ciphertext }) => cipher.open(ciphertext))).toEqual([
      "sbk_original",
    ]);
    const repeat = aDelivery({ body });
    expect(
      await there.acceptDelivery({ delivery: repeat, runs: [], idempotency: { key: "same", notBefore: 0 } }),
    ).toMatchObject({ kind: "repeated", deliveryId: delivery.id });
    await there.acceptDelivery({
      delivery: aDelivery(),
      runs: [aRun()],
      idempotency: null,
    });
    expect(
      await there.writeProgress({
        runId: held.id,
        token: held.token,
        now: epoch + 5000,
        entries: [{ at: epoch + 5000, kind: "log", attempt: 1, level: "info", message: "there" }],
        transition: { to: "completed", output: 1 },
      }),
    ).toMatchObject({ held: true });
    const claimed = await there.claimRuns(aClaim({ now: epoch + 6000 }));
    expect(claimed).toHaveLength(2);
    expect(await kindsOf(there, held.id)).toEqual(["queued", "attempt_started", "log"]);
  } finally {
    await there.close();
  }
});

/** A run that ended, with an entry between those that the run implies. */
async function endWithTimeline(store: Store): Promise<void> {
  const { id, token } = await withRunningRun(store, { createdAt: epoch - 1 });
  const now = epoch + 2000;
  await store.writeProgress({
    runId: id,
    token,
    now,
    entries: [
      { at: now, kind: "log", attempt: 1, level: "info", message: "here", data: { n: 1 } },
      { at: now, kind: "completed", attempt: 1, durationMs: 1.5 },
    ],
    transition: { to: "completed", output: 1 },
  });
}

/** Without ids: each database has its own. */
async function timelinesOf(store: Store): Promise<unknown> {
  const { data } = await store.listRuns({}, { limit: 100, cursor: null });
  return Promise.all(
    data.map(async ({ id }) =>
      (await store.listTimeline(id, { after: 0, limit: 100 })).map(({ id: _id, ...entry }) => entry),
    ),
  );
}

it("a target that is not empty is rejected, and unchanged", async () => {
  const [used, other] = [file("used"), await emptyPostgres()];
  const store = await openSqliteStore({ file: used.file });
  await store.createKey(aKey());
  await store.close();
  const before = await dump(used.file);
  await expect(copy({ kind: "sqlite", file: full }, used)).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/not empty: its table webhook_key has a row/),
  });
  expect(await dump(used.file)).toEqual(before);
  await askPostgres(other.url, "CREATE SCHEMA signalbox; CREATE TABLE signalbox.theirs (a integer)");
  await expect(copy({ kind: "sqlite", file: full }, other)).rejects.toThrow(/contains other tables/);
  expect(await askPostgres(other.url, "SELECT 1 FROM pg_tables WHERE schemaname = 'signalbox'")).toHaveLength(1);
});

it("the unfinished copy of another store is rejected", async () => {
  const [another, target] = [file("another"), file("target")];
  await (await openSqliteStore({ file: another.file, clock: { now: () => 5 } })).close();
  await expect(
    copy(another, target, () => {
      throw new Error("interrupted");
    }),
  ).rejects.toThrow("interrupted");
  await expect(copy({ kind: "sqlite", file: full }, target)).rejects.toThrow(
    /unfinished copy of another store, .*another\.db/,
  );
});

it("a store that another process has open is neither read nor written", async () => {
  const [served, target] = [file("served"), await emptyPostgres()];
  const running = await openSqliteStore({ file: served.file });
  await expect(copy(served, target)).rejects.toMatchObject({
    message: expect.stringMatching(/served\.db is in use by another process\.$/),
    fix: expect.stringMatching(/^Stop the service/),
  });
  await expect(copy({ kind: "sqlite", file: full }, served)).rejects.toThrow(/in use/);
  await running.close();
  const used = await openPostgresStore({ url: target.url });
  await used.ping();
  await expect(copy(target, file("elsewhere"))).rejects.toThrow(/in use: a Signalbox process is connected/);
  await expect(copy({ kind: "sqlite", file: full }, target)).rejects.toThrow(
    /in use: a Signalbox process is connected/,
  );
  await used.close();
});

it("while it is copied, no process can open the source", async () => {
  const source = file("source");
  await (await openSqliteStore({ file: source.file })).close();
  let rejected: Promise<unknown> | null = null;
  await copy(source, await emptyPostgres(), () => {
    rejected ??= openConnection(source.file, { isExclusive: true }).catch((error: unknown) => error);
  });
  expect(await rejected).toMatchObject({ code: "SQLITE_BUSY" });
});

it("a change of the source after an interruption is reported by table at the end, and the target cannot be opened", async () => {
  const [source, target] = [file("source"), file("target")];
  await copy({ kind: "sqlite", file: full }, source);
  let seen = 0;
  const interrupt = ({ stage }: CopyProgress) => {
    seen += 1;
    if (stage === "comparing") throw new Error("interrupted");
  };
  await expect(copy(source, target, interrupt)).rejects.toThrow("interrupted");
  expect(seen).toBeGreaterThan(1);
  const connection = await openConnection(source.file);
  connection.exec("UPDATE preset SET name = name || '!' WHERE id = 'id 3'; DELETE FROM invitation WHERE id = 'id 3'");
  connection.close();
  await expect(copy(source, target)).rejects.toThrow(
    /invitation \(39 rows in the source, 40 in the target\), preset \(40 rows in the source, 40 in the target, with other content\)/,
  );
  await expect(openSqliteStore({ file: target.file })).rejects.toMatchObject({ code: "store_unusable" });
});

it("a lone surrogate, which SQLite cannot store, becomes U+FFFD there, and is reported", async () => {
  const [source, target] = [await emptyPostgres(), file("target")];
  const store = await openPostgresStore({ url: source.url });
  await store.createKey(aKey({ name: "half \ud83d" }));
  await store.close();
  expect((await copy(source, target)).changedRows).toBe(1);
  const copied = await openSqliteStore({ file: target.file });
  expect((await copied.listKeys()).map(({ name }) => name)).toEqual(["half \ufffd"]);
  await copied.close();
});

it("a missing, additional, duplicate or changed row changes a table's hash; the order does not", async () => {
  const { createTableHash } = await import("./row-hash.ts");
  const hashOf = (rows: (string | number | null | Uint8Array)[][]) => {
    const hash = createTableHash();
    for (const row of rows) hash.add(row);
    return hash.digest();
  };
  const rows = [
    ["a", 1, null],
    ["b", 2, Buffer.from([1])],
    ["c", 3, Buffer.from([])],
  ];
  expect(hashOf(rows.toReversed())).toBe(hashOf(rows));
  const others = [
    rows.slice(1),
    [...rows, ...rows],
    [
      ["a", 1, null],
      ["b", 2, Buffer.from([2])],
      ["c", 3, Buffer.from([])],
    ],
    [["a", "1", null], ...rows.slice(1)],
  ];
  expect(new Set([rows, ...others].map(hashOf)).size).toBe(5);
});
