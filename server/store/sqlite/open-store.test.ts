import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { aDelivery, aRun, epoch, withRunningRun } from "../testing/factories.ts";
import { inspectDatabase } from "./file/inspect-database.ts";
import { migrate } from "./file/migrate.ts";
import { openConnection } from "./file/open-connection.ts";
import { openSqliteStore } from "./open-store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-open-"));
  file = join(folder, "deep", "down", "store.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const migration = (from: string, logger = silentLogger) => ({ folder: from, clock: systemClock, logger });

/** The real migrations and some of a later version. */
function copyMigrations(...more: string[]): string {
  const copy = join(folder, "migrations");
  cpSync(migrationsFolder("sqlite"), copy, { recursive: true });
  const journalFile = join(copy, "meta", "_journal.json");
  const journal: { entries: { idx: number; tag: string }[] } = JSON.parse(readFileSync(journalFile, "utf8"));
  for (const [index, sql] of more.entries()) {
    const tag = `9${index}_more`;
    journal.entries.push({ idx: journal.entries.length, tag });
    writeFileSync(join(copy, `${tag}.sql`), sql);
  }
  writeFileSync(journalFile, JSON.stringify(journal));
  return copy;
}

/** The files as after a kill: with the last commits. */
async function leaveLog(): Promise<{ log: string; runId: string }> {
  const store = await openSqliteStore({ file });
  const run = aRun();
  await store.createRuns([run]);
  const log = `${file}-wal`;
  const copies = [file, log].map((path) => [path, readFileSync(path)] as const);
  await store.close();
  rmSync(`${file}-shm`, { force: true });
  for (const [path, bytes] of copies) writeFileSync(path, bytes);
  return { log, runId: run.id };
}

/** A process that writes to the store and is killed while it has it open. */
async function writeAndDie(path: string): Promise<void> {
  const program = `
    import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, "open-store.ts"))};
    const store = await openSqliteStore({ file: ${JSON.stringify(path)} });
    await store.saveClockWatch({ seenAt: 1, trustedAt: 1, waitingSince: null });
    process.kill(process.pid, "SIGKILL");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

/** Opens the store, and returns the warnings. */
async function open() {
  const warnings: string[] = [];
  const store = await openSqliteStore({
    file,
    logger: { ...silentLogger, warn: (message) => warnings.push(message) },
  });
  return { store, warnings };
}

describe("a write-ahead log that was removed", () => {
  const lost = [expect.stringContaining("the write-ahead log of the store was removed")];

  it("after a kill is reported in the log and to `signalbox doctor`, until the store was closed again", async () => {
    await (await openSqliteStore({ file })).close();
    await writeAndDie(file);
    expect(inspectDatabase(file)?.lostLogSince).toBeNull();
    rmSync(`${file}-wal`);
    expect(inspectDatabase(file)?.lostLogSince).not.toBeNull();
    const { store, warnings } = await open();
    const other = await open();
    expect([warnings, other.warnings]).toEqual([lost, lost]);
    expect(inspectDatabase(file)?.lostLogSince).not.toBeNull();
    await other.store.close();
    await store.close();
    expect(inspectDatabase(file)?.lostLogSince).toBeNull();
    const again = await open();
    expect(again.warnings).toEqual([]);
    await again.store.close();
  });

  it("by a clean end, by a kill that leaves it, or with another file in place of the store is none", async () => {
    const first = await open();
    await first.store.ping();
    const second = await open();
    await first.store.close();
    const third = await open();
    await second.store.close();
    await third.store.close();
    await writeAndDie(file);
    const afterKill = await open();
    await afterKill.store.close();
    await writeAndDie(file);
    copyFileSync(file, `${file}.backup`);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path);
    renameSync(`${file}.backup`, file);
    const restored = await open();
    expect([first, second, third, afterKill, restored].flatMap(({ warnings }) => warnings)).toEqual([]);
    await restored.store.close();
  });
});

describe("opening", () => {
  it("creates the folder, and a file that only its owner can read", async () => {
    const store = await openSqliteStore({ file });
    await store.ping();
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(`${file}-wal`).mode & 0o077).toBe(0);
    await store.close();
  });

  it("sets every connection to WAL, fsync at each commit and foreign keys, also after a reopening", async () => {
    for (let time = 0; time < 2; time += 1) {
      const connection = await openConnection(file);
      const pragma = (name: string) => connection.pragma(name, { simple: true });
      expect(["journal_mode", "synchronous", "foreign_keys", "busy_timeout"].map(pragma)).toEqual(["wal", 2, 1, 5000]);
      connection.close();
    }
  });

  it("keeps what was written", async () => {
    const first = await openSqliteStore({ file });
    const run = aRun();
    await first.createRuns([run]);
    await first.close();
    const second = await openSqliteStore({ file });
    expect(await second.getRun(run.id)).not.toBeNull();
    await second.close();
  });

  it("rejects a file that is not a database", async () => {
    mkdirSync(join(folder, "deep", "down"), { recursive: true });
    writeFileSync(file, "this is a text file, and long enough to be looked at\n".repeat(100));
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      code: "store_unusable",
      message: expect.stringContaining(`${file} cannot be used as the store. The file is not a SQLite database`),
    });
    expect(readFileSync(file, "utf8")).toContain("this is a text file");
  });

  it.each([
    ["a table", "CREATE TABLE orders (id INTEGER)", "orders"],
    ["a view", "CREATE VIEW report AS SELECT 1", "report"],
    ["a virtual table", "CREATE VIRTUAL TABLE notes USING fts5 (body)", "notes"],
    ["a table with one of our names", "CREATE TABLE run (id INTEGER)", "run"],
    ["other migrations", "CREATE TABLE schema_migration (version TEXT)", "schema_migration"],
    ["a table without a row id", "CREATE TABLE session (id TEXT PRIMARY KEY) WITHOUT ROWID", "session"],
  ])("rejects the database of another program, with %s, and does not change it", async (_what, sql, name) => {
    mkdirSync(join(folder, "deep/down"), { recursive: true });
    new Database(file).exec(`${sql}; PRAGMA user_version = 7`).close();
    const before = readFileSync(file);
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      code: "store_unusable",
      message: `${file} cannot be used as the store: it is the database of another program, for example with ${name}.`,
      fix: expect.stringContaining("Set SIGNALBOX_DATABASE_URL to another file"),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("accepts an empty file, and one of SQLite without tables", async () => {
    mkdirSync(join(folder, "deep/down"), { recursive: true });
    writeFileSync(file, "");
    const second = join(folder, "second.db");
    new Database(second).exec("PRAGMA user_version = 7; CREATE TABLE a (b); DROP TABLE a").close();
    for (const accepted of [file, second]) {
      const store = await openSqliteStore({ file: accepted });
      await expect(store.ping()).resolves.toBeUndefined();
      await store.close();
    }
  });

  it("rejects a file that is damaged anywhere, and does not change it", async () => {
    await (await openSqliteStore({ file })).close();
    const sound = readFileSync(file);
    for (let page = 1; page < sound.length / 4096; page += 1) {
      const damaged = Buffer.from(sound).fill(0xa5, page * 4096, (page + 1) * 4096);
      writeFileSync(file, damaged);
      await expect(openSqliteStore({ file }), `page ${page + 1}`).rejects.toMatchObject({
        code: "store_unusable",
        message: expect.stringMatching(/damaged.*\.recover/s),
      });
      expect(readFileSync(file).equals(damaged), `page ${page + 1}`).toBe(true);
    }
  });

  describe("beside a write-ahead log", () => {
    it("accepts the log of a killed process: complete, empty, or all zeros", async () => {
      const { log, runId } = await leaveLog();
      const store = await openSqliteStore({ file });
      expect(await store.getRun(runId)).not.toBeNull();
      await store.close();
      for (const left of [Buffer.alloc(0), Buffer.alloc(4096), Buffer.alloc(10, 1)]) {
        writeFileSync(log, left);
        await (await openSqliteStore({ file })).close();
      }
    });

    it("rejects a log with any damaged byte in its header, and does not change it", async () => {
      const { log } = await leaveLog();
      const sound = readFileSync(log);
      for (let at = 0; at < 32; at += 1) {
        const damaged = Buffer.from(sound);
        damaged[at] = (damaged[at] ?? 0) ^ 0x41;
        writeFileSync(log, damaged);
        await expect(openSqliteStore({ file }), `byte ${at}`).rejects.toMatchObject({
          code: "store_unusable",
          message: expect.stringContaining(log),
        });
        expect(readFileSync(log).equals(damaged)).toBe(true);
      }
    });
  });

  it("rejects a path that cannot be a file", async () => {
    await expect(openSqliteStore({ file: folder })).rejects.toMatchObject({ code: "store_unusable" });
    writeFileSync(join(folder, "file"), "");
    await expect(openSqliteStore({ file: join(folder, "file", "store.db") })).rejects.toMatchObject({
      code: "store_unusable",
    });
  });
});

describe("migrations", () => {
  it("of a newer version are rejected, and the file is unchanged", async () => {
    const connection = await openConnection(file);
    migrate(connection, migration(copyMigrations("CREATE TABLE later (id INTEGER)")));
    connection.close();
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      code: "store_unusable",
      message: expect.stringMatching(/newer Signalbox.*90_more/),
    });
  });

  it("that are pending are applied, once", async () => {
    await (await openSqliteStore({ file })).close();
    const connection = await openConnection(file);
    const copy = copyMigrations("CREATE TABLE later (id INTEGER)");
    migrate(connection, migration(copy));
    migrate(connection, migration(copy));
    expect(connection.prepare("SELECT count(*) FROM later").pluck().get()).toBe(0);
    connection.close();
  });

  it("log that they can take minutes, if the store has an older schema", async () => {
    const connection = await openConnection(file);
    const said: string[] = [];
    const logger = { ...silentLogger, info: (message: string) => void said.push(message) };
    migrate(connection, migration(migrationsFolder("sqlite"), logger));
    expect(said).toEqual([]);
    migrate(connection, migration(copyMigrations("CREATE TABLE later (id INTEGER)"), logger));
    expect(said).toEqual([expect.stringContaining("migrating the store"), "store migrated"]);
    connection.close();
  });

  it("migrate a database of an earlier version and keep its data", async () => {
    const store = await openSqliteStore({ file });
    const delivery = aDelivery();
    await store.recordDelivery(delivery);
    const before = await store.getDelivery(delivery.id);
    await store.close();
    const connection = await openConnection(file);
    migrate(
      connection,
      migration(
        copyMigrations(
          "ALTER TABLE delivery ADD later TEXT;\n--> statement-breakpoint\nCREATE TABLE later (id INTEGER)",
        ),
      ),
    );
    // As the earlier version reads it.
    connection.exec("DELETE FROM schema_migration WHERE tag = '90_more'");
    connection.close();
    const again = await openSqliteStore({ file });
    expect(await again.getDelivery(delivery.id)).toEqual(before);
    await again.close();
  });

  it("are rolled back completely if one of them fails", async () => {
    const connection = await openConnection(file);
    const copy = copyMigrations(
      "CREATE TABLE later (id INTEGER)",
      "CREATE TABLE much_later (id INTEGER);\n--> statement-breakpoint\nCREATE NONSENSE",
    );
    expect(() => migrate(connection, migration(copy))).toThrow(/NONSENSE/);
    expect(connection.prepare("SELECT count(*) FROM sqlite_master").pluck().get()).toBe(0);
    expect(connection.pragma("foreign_keys", { simple: true })).toBe(1);
    connection.close();
  });

  it("can rebuild a table without losing the rows that refer to it", async () => {
    const store = await openSqliteStore({ file });
    const { id } = await withRunningRun(store);
    await store.requestCancel(id, epoch);
    await store.close();
    const connection = await openConnection(file);
    migrate(
      connection,
      migration(
        copyMigrations(
          "PRAGMA foreign_keys=OFF;\nCREATE TABLE new_run AS SELECT * FROM run;\nDROP TABLE run;\nALTER TABLE new_run RENAME TO run;\nCREATE UNIQUE INDEX run_by_seq ON run (seq);\nPRAGMA foreign_keys=ON;",
        ),
      ),
    );
    expect(connection.prepare("SELECT count(*) FROM run_event").pluck().get()).toBe(1);
    connection.close();
  });
});

describe("a store that is not writable", () => {
  it("reports it when another process keeps the lock", async () => {
    const store = await openSqliteStore({ file });
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    const answers = await Promise.allSettled([
      store.ping(),
      store.createRuns([aRun()]),
      store.listRuns({}, { limit: 1, cursor: null }),
    ]);
    expect(answers).toMatchObject([
      { status: "rejected", reason: { code: "store_unavailable", cause: { code: "SQLITE_BUSY" } } },
      { status: "rejected", reason: { code: "store_unavailable", cause: { code: "SQLITE_BUSY" } } },
      { status: "fulfilled" },
    ]);
    other.exec("ROLLBACK");
    other.close();
    await store.ping();
    await store.close();
  });

  it.each(["", "-wal"])("rejects writes after its file (%s) was removed, instead of losing them", async (suffix) => {
    const other = await openSqliteStore({ file });
    await other.createRuns([aRun()]);
    // This store has written nothing yet.
    const store = await openSqliteStore({ file });
    rmSync(`${file}${suffix}`);
    await expect(store.createRuns([aRun()])).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("was removed or replaced"),
    });
    await expect(store.ping()).rejects.toMatchObject({ code: "store_unavailable" });
    await store.close();
    await other.close();
  });

  it("detects that its file was truncated, although the lost pages are in memory", async () => {
    await (await openSqliteStore({ file })).close();
    const store = await openSqliteStore({ file });
    const run = aRun();
    await store.createRuns([run]);
    await store.listRuns({}, { limit: 1, cursor: null });
    truncateSync(file, 8_192);
    const damaged = { code: "store_unavailable", message: expect.stringContaining("The database file is damaged") };
    await expect(store.createRuns([aRun()])).rejects.toMatchObject(damaged);
    await expect(store.ping()).rejects.toMatchObject(damaged);
    await store.close();
  });

  it("accepts a file that upkeep made smaller", async () => {
    const store = await openSqliteStore({ file });
    await store.createRuns(Array.from({ length: 2_000 }, () => aRun()));
    const other = new Database(file);
    other.pragma("wal_checkpoint(TRUNCATE)");
    await store.createRuns([aRun()]);
    const { size } = statSync(file);
    other.exec("DELETE FROM run_event");
    other.exec("DELETE FROM run");
    other.pragma("incremental_vacuum");
    other.pragma("wal_checkpoint(TRUNCATE)");
    expect(statSync(file).size).toBeLessThan(size);
    const run = aRun();
    await store.createRuns([run]);
    expect(await store.getRun(run.id)).not.toBeNull();
    other.close();
    await store.close();
  });

  it("does not report a change when SQLite creates and removes its log", async () => {
    const first = await openSqliteStore({ file });
    await first.createRuns([aRun()]);
    await first.close();
    const again = await openSqliteStore({ file });
    const other = await openSqliteStore({ file });
    await other.createRuns([aRun()]);
    await other.close();
    await expect(again.createRuns([aRun()])).resolves.toBeUndefined();
    await expect(again.ping()).resolves.toBeUndefined();
    await again.close();
  });

  it("reports it after it was closed, and has written the waiting operations", async () => {
    const store = await openSqliteStore({ file });
    const run = aRun();
    const written = store.createRuns([run]);
    await store.close();
    await written;
    await expect(store.createRuns([aRun()])).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(store.getRun(run.id)).rejects.toMatchObject({ code: "store_unavailable" });
    const again = await openSqliteStore({ file });
    expect(await again.getRun(run.id)).not.toBeNull();
    await again.close();
  });
});
