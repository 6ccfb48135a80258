import type { Pool } from "pg";
import { migrationsFolder } from "../../paths.ts";
import { silentLogger } from "../../ports/logger.ts";
import { countApplied, readJournal } from "../shared/migration-journal.ts";
import type { UsedContentKey } from "../../domain/encryption/content-keys.ts";
import { oldestSql } from "./upkeep/upkeep-store.ts";
import { maxDueRuns, pools } from "../../domain/runs/blocked-work.ts";
import { toWorkerInfo } from "./engine/engine-store.ts";
import { listDueRuns } from "./queue/due-runs.ts";
import { isOpenSql, worker } from "./schema.ts";
import { storeSchema } from "./schema/columns.ts";
import { clockWatchSql, type StoreContents, type WantedContents, wantedByDefault } from "../shared/store-contents.ts";
import type { ClockWatch } from "../../domain/clock-watch.ts";
import { createPool, databaseName, isOfProcessSql } from "./connection/connect.ts";
import { assertFits, readApplied } from "./migrate.ts";
import { connectionsOfProcess } from "./open-store.ts";
import { inspectQueue, type QueueFacts } from "./queue/inspect-queue.ts";
import { type Session, sessionOf } from "./connection/session.ts";
import { askDifference } from "./connection/store-clock.ts";
import { toOpenError } from "./store-error.ts";

/** The state of a database and its server, which other processes may use. */
export interface PostgresFacts {
  /** Without the user and the password. */
  name: string;
  user: string;
  server: string;
  databaseBytes: number;
  pendingMigrations: number;
  /** Whether the user may write the rows of all tables; before the first migration: whether it may create them. */
  mayWrite: boolean;
  /** Whether the user may apply migrations: create tables, and change those that exist. */
  mayMigrate: boolean;
  isReplica: boolean;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  connections: { most: number; used: number; wanted: number };
  /** Milliseconds by which its clock is ahead of this machine's. */
  aheadMs: number;
  /** The fingerprint of the current secret; `null`: none yet. */
  secretFingerprint: string | null;
  /** `null` if the schema is not migrated yet. */
  queue: QueueFacts | null;
  /** `null` if the schema is not migrated yet. */
  contents: StoreContents | null;
}

/** Read-only. Throws AppError `store_unusable` if it cannot be reached or used. */
export async function inspectPostgres(url: string, wanted = wantedByDefault()): Promise<PostgresFacts> {
  const name = databaseName(url);
  const pool = createPool(url, { max: 1, logger: silentLogger });
  try {
    return await readFacts(pool, { name, wanted });
  } catch (error) {
    throw toOpenError(error, name);
  } finally {
    await pool.end();
  }
}

const serverSql = `
  SELECT current_user AS "user", current_setting('server_version') AS server, pg_database_size(current_database()) AS "databaseBytes", pg_is_in_recovery() AS "isReplica",
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites", current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS used,
    coalesce(
      (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = 'signalbox'),
      has_database_privilege(current_database(), 'CREATE')
    ) AS "mayCreate"`;

type ServerRow = Omit<
  PostgresFacts,
  | "name"
  | "connections"
  | "pendingMigrations"
  | "mayWrite"
  | "mayMigrate"
  | "aheadMs"
  | "secretFingerprint"
  | "queue"
  | "contents"
> & { most: number; used: number; mayCreate: boolean };

async function readFacts(pool: Pool, p: { name: string; wanted: WantedContents }): Promise<PostgresFacts> {
  const { name } = p;
  const session = sessionOf(pool);
  await assertFits(session, name);
  const [row] = await session.rows<ServerRow>(serverSql);
  if (!row) throw new Error("The server returned no settings.");
  const { most, used, mayCreate, ...server } = row;
  const known = readJournal(migrationsFolder("postgres"));
  const applied = countApplied(await readApplied(session, name), { known, name });
  const isMigrated = applied === known.length;
  const aheadMs = await askDifference(pool, Date.now);
  return {
    ...server,
    name,
    pendingMigrations: known.length - applied,
    mayWrite: applied === 0 ? mayCreate : await mayWriteRows(session),
    mayMigrate: mayCreate && (await ownsTables(session)),
    connections: {
      most,
      used,
      wanted: isMigrated ? await countWanted(session, Date.now() + aheadMs) : connectionsOfProcess * processesOfMachine,
    },
    aheadMs,
    secretFingerprint: isMigrated
      ? ((await session.rows<{ value: string }>("SELECT value FROM signalbox.store_fact WHERE name = 'secret'"))[0]
          ?.value ?? null)
      : null,
    queue: isMigrated ? await inspectQueue(session) : null,
    contents: isMigrated ? await readContents(session, p.wanted) : null,
  };
}

/** A role that serves a store which its owner migrates needs no more; see docs/scaling.md. */
async function mayWriteRows(session: Session): Promise<boolean> {
  const [found] = await session.rows<{ may: boolean }>(
    `SELECT bool_and(CASE c.relkind
       WHEN 'S' THEN has_sequence_privilege(c.oid, 'USAGE')
       ELSE has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')
     END) AS may
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'S') AND c.relname <> 'schema_migration'`,
    [storeSchema],
  );
  return found?.may ?? false;
}

/** `true` even if there are no tables yet. */
async function ownsTables(session: Session): Promise<boolean> {
  const [found] = await session.rows<{ owns: boolean | null }>(
    `SELECT bool_and(pg_has_role(c.relowner, 'USAGE')) AS owns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`,
    [storeSchema],
  );
  return found?.owns ?? true;
}

/** A receiver and a web process. Workers and their supervisor have no connection. */
const processesOfMachine = 2;
const workerAliveMs = 15_000;

/**
 * Assumes that every host with workers has a receiver and a web process, too. There may be more processes: several
 * services on a host, and machines without workers. They are counted if they are connected now.
 */
async function countWanted(session: Session, now: number): Promise<number> {
  const [found] = await session.rows<{ hosts: number; connected: number }>(
    `SELECT (SELECT count(DISTINCT host) FROM signalbox.worker WHERE seen_at > $1::bigint) AS hosts,
      (SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE datname = current_database() AND ${isOfProcessSql}
        AND application_name <> current_setting('application_name')) AS connected`,
    [now - workerAliveMs],
  );
  const ofHosts = processesOfMachine * Math.max(1, found?.hosts ?? 0);
  return connectionsOfProcess * Math.max(ofHosts, found?.connected ?? 0);
}

async function readContents(session: Session, p: WantedContents): Promise<StoreContents> {
  const [counts] = await session.rows<{ newest: number | null; people: number; admins: number }>(
    "SELECT (SELECT max(received_at) FROM signalbox.delivery) AS newest, (SELECT count(*) FROM signalbox.person) AS people, (SELECT count(*) FROM signalbox.person WHERE role = 'admin') AS admins",
  );
  const keys = await session.rows<Omit<StoreContents["keys"][number], "endpoints"> & { endpoints: string | null }>(
    `SELECT id, name, kind, endpoints, ciphertext, expires_at AS "expiresAt", revoked_at AS "revokedAt", replaced_by AS "replacedBy" FROM signalbox.webhook_key`,
  );
  return {
    newestDeliveryAt: counts?.newest ?? null,
    workers: (await session.db.select().from(worker)).map(toWorkerInfo),
    due: await listDueRuns(session, { pools, limit: maxDueRuns, ...p }),
    openRuns: await session.rows<StoreContents["openRuns"][number]>(
      `SELECT version, target_kind || ':' || target_slug AS target, count(*)::int AS runs FROM signalbox.run WHERE ${isOpenSql} GROUP BY 1, 2`,
    ),
    keys: keys.map((key) => ({ ...key, endpoints: key.endpoints === null ? null : JSON.parse(key.endpoints) })),
    disabledTriggers: (
      await session.rows<{ slug: string }>(
        "SELECT slug FROM signalbox.trigger_switch WHERE disabled_at IS NOT NULL ORDER BY slug",
      )
    ).map(({ slug }) => slug),
    contentKeys: await session.rows<UsedContentKey>(
      `SELECT id, since, retired_at AS "retiredAt" FROM signalbox.content_key ORDER BY since, id`,
    ),
    clockWatch: (await session.rows<ClockWatch>(clockWatchSql("signalbox.clock_watch")))[0] ?? null,
    oldestAt: (await session.rows<{ at: number | null }>(oldestSql))[0]?.at ?? null,
    people: counts?.people ?? 0,
    admins: counts?.admins ?? 0,
  };
}
