import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { Client } from "pg";
import { findOrInstall } from "../../../scripts/test-tools.ts";
import { createDataFolder, ownerOf, untilReady } from "../../../scripts/postgres-cluster.ts";
import type { Store } from "../../ports/store.ts";
import { openPostgresStore } from "../postgres/open-store.ts";
import * as schema from "../postgres/schema.ts";
import { isInQueueSql } from "../postgres/schema.ts";
import { type Pooler, startPooler } from "./pooler.ts";

/** A server for one test file, in a temporary folder, with a Unix socket. */
export interface PostgresServer {
  /**
   * Opens an empty store, whose leases have the times that operations are given. Its database is reused after it is
   * closed, because creating one takes longer than most tests.
   */
  openStore(p?: { isPooled?: boolean }): Promise<Store & { disagreements(): Promise<object[]> }>;
  /** The URL of a database by way of a pooler in transaction mode. */
  pooledUrl(directUrl: string): Promise<string>;
  /** Creates a database, with the store's schema or empty, and returns its URL. */
  createDatabase(template?: "migrated" | "template1"): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Its collation sorts text by a language, as in many databases of users, so that queries which depend on the collation
 * fail. Its search_path lacks the store's schema, so that statements which depend on it fail. It runs without fsync,
 * because these tests do not test power failures. Rejects if Postgres is missing and cannot be installed.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = findOrInstall("postgres");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-pg-"));
  const owner = ownerOf(folder);
  const data = join(folder, "data");
  createDataFolder({ bin, data, owner, options: ["--locale-provider=icu", "--icu-locale=en-US"] });
  const settings = [
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=200",
    "search_path=public",
  ];
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])],
    { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const killWithUs = () => void server.kill("SIGQUIT");
  process.once("exit", killWithUs);
  await untilReady(server);

  const urlOf = (database: string) => `postgres:///${database}?host=${encodeURIComponent(folder)}&user=signalbox`;
  const admin = new Client(urlOf("postgres"));
  await admin.connect();
  let made = 0;
  async function createDatabase(template: "migrated" | "template1" = "migrated"): Promise<string> {
    made += 1;
    await admin.query(`CREATE DATABASE test_${made} TEMPLATE ${template} STRATEGY file_copy`);
    return urlOf(`test_${made}`);
  }
  await admin.query("CREATE DATABASE migrated");
  await (await openPostgresStore({ url: urlOf("migrated") })).close();

  const free: { url: string; cleaner: Client }[] = [];
  const cleaners: Client[] = [];
  async function takeDatabase(): Promise<(typeof free)[number]> {
    const used = free.pop();
    if (used) {
      await used.cleaner.query(emptySql);
      return used;
    }
    const url = await createDatabase();
    const cleaner = new Client(url);
    await cleaner.connect();
    cleaners.push(cleaner);
    return { url, cleaner };
  }

  let pooler: Promise<Pooler> | null = null;
  const pooledUrl = async (directUrl: string) => (await (pooler ??= startPooler(folder))).urlOf(directUrl);

  return {
    createDatabase,
    pooledUrl,
    async openStore({ isPooled = false } = {}) {
      const database = await takeDatabase();
      const { url } = database;
      const store = await openPostgresStore({
        ...(isPooled ? { url: await pooledUrl(url), directUrl: url } : { url }),
        hasGivenLeaseTimes: true,
      });
      const close = async () => {
        await store.close();
        free.push(database);
      };
      return {
        ...store,
        close,
        disagreements: async () => (await database.cleaner.query(disagreementsSql)).rows,
      };
    },
    async stop() {
      await (await pooler)?.stop();
      await Promise.all([admin, ...cleaners].map((client) => client.end()));
      const ended = once(server, "exit");
      server.kill("SIGQUIT");
      await ended;
      process.off("exit", killWithUs);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs whose columns disagree with their status: claims would take runs that are not due, or never find some. */
const disagreementsSql = `
  SELECT id, status, worker_id, token, lease_until, finished_at FROM signalbox.run
  WHERE (status IN ('queued', 'waiting')) <> (${isInQueueSql}) OR (status = 'running') <> (worker_id IS NOT NULL)
    OR (status = 'running') <> (lease_until IS NOT NULL) OR (status = 'running' AND token IS NULL)`;

/**
 * Foreign keys need no check, because all rows are removed. A statement of a connection that a test has cut may still
 * execute: it would wait for these deletions, and they for it.
 */
const emptySql = `
  SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle';
  SET session_replication_role = replica;
  ${Object.values(schema)
    .flatMap((table) => (is(table, PgTable) ? [`DELETE FROM signalbox.${getTableName(table)};`] : []))
    .join("\n")}`;
