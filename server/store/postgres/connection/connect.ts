import { hostname } from "node:os";
import { type ClientBase, type ClientConfig, Pool, types as parsers } from "pg";
import { postgresLocation } from "../../../config/describe-store.ts";
import type { Logger } from "../../../ports/logger.ts";
import { fromPostgresText } from "../statements/text-encoding.ts";
import { toStoreError } from "../store-error.ts";

/** The name of the connection that listens for changes, as the server shows it. */
export const listenerName = "signalbox listener";
/**
 * The name of all other connections of this process, for example `signalbox web-1:4711`. The server shows up to 63
 * bytes.
 */
const processName = `signalbox ${hostname().slice(0, 40)}:${process.pid}`;
/** A condition of SQL: the connection has the name of a process. */
export const isOfProcessSql = "application_name ~ '^signalbox .*:[0-9]+$'";

const connectMs = 5_000;
/** Milliseconds. A process that is lost with its machine keeps its locks for this long. Shorter than a lease. */
const maxPauseInTransactionMs = 8_000;
const maxLockWaitMs = 5_000;
export const maxStatementMs = 8_000;
/**
 * Longer than any statement can take on the server: the connection is lost, for example because the network drops all
 * packets. The operating system would report that after a quarter of an hour.
 */
const maxSilenceMs = 10_000;
const keepAliveAfter = 5_000;
/** Migrations of a large store. */
const maxMigrationMs = 3_600_000;

/** Connections and their pools that lead to a pooler in transaction mode. */
const sharedConnections = new WeakSet<object>();

export const isShared = (connection: object): boolean => sharedConnections.has(connection);

const int8 = 20;
const texts = [25, 1043];

const types = {
  getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
    if (format !== "binary" && oid === int8) return Number;
    if (format !== "binary" && texts.includes(oid)) return fromPostgresText;
    return parsers.getTypeParser(oid, format ?? "text");
  },
};

/**
 * The driver treats `sslmode=require` and `verify-ca` as `verify-full`, with a warning. Postgres defines them as
 * weaker: `require` encrypts without verifying the server, `verify-ca` does not check its host name.
 */
function withStandardTls(url: string): string {
  const isWeaker = /[?&]sslmode=(prefer|require|verify-ca)(&|$)/.test(url);
  return isWeaker && !url.includes("uselibpqcompat=") ? `${url}&uselibpqcompat=true` : url;
}

/** The settings of a new connection; `settle` follows. `isPatient`: statements may take long, as in migrations. */
export function connectionConfig(url: string, { isPatient = false } = {}): ClientConfig {
  return {
    connectionString: withStandardTls(url),
    application_name: processName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    query_timeout: isPatient ? maxMigrationMs : maxSilenceMs,
    types,
  };
}

/**
 * The server closes connections to processes that it cannot reach, instead of keeping them for two hours. If its
 * operating system does not have these settings, it logs that.
 */
const keepAliveSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
};

/**
 * A prepared statement keeps its plan, also if it was planned while the tables were empty. Reading a whole table is
 * then the cheapest plan, and soon the slowest. So statements find rows by indexes whenever they can. Without a table
 * scan, its estimated costs are huge, and Postgres would compile it. In a large store, Postgres also expects more rows
 * than a statement reads: parallel workers would take longer to start than the statement takes. Claims and lists read
 * the first rows in the order of an index. A bitmap of a long queue would have to be sorted for that.
 */
const planSettings = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  jit: "off",
  max_parallel_workers_per_gather: 0,
};
/** Writers join lists of ids with tables: one look into an index for each id. */
const writerPlanSettings = { ...planSettings, enable_hashjoin: "off", enable_mergejoin: "off" };

interface Purpose {
  /** Statements may take long, as in migrations. */
  isPatient?: boolean;
  isWriter?: boolean;
}

/**
 * Sets the timeouts of a new connection on the server. A statement sets them, because PgBouncer rejects them among the
 * parameters of a connection.
 */
export async function settle(client: ClientBase, { isPatient = false, isWriter = false }: Purpose = {}): Promise<void> {
  const waiting = {
    statement_timeout: isPatient ? maxMigrationMs : maxStatementMs,
    lock_timeout: maxLockWaitMs,
    idle_in_transaction_session_timeout: maxPauseInTransactionMs,
  };
  const plans = isPatient ? {} : isWriter ? writerPlanSettings : planSettings;
  const settings = Object.entries({ ...waiting, ...keepAliveSettings, ...plans });
  await client.query(
    `SELECT ${settings.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}; ${waitForDiskSql(false)}`,
  );
}

/** A commit waits for the disk, even if the role or the database has another default. */
function waitForDiskSql(isForTransaction: boolean): string {
  return `SELECT set_config('synchronous_commit', 'on', ${isForTransaction}) WHERE current_setting('synchronous_commit') = 'off'`;
}

const settleTransactionSql = `SET LOCAL statement_timeout = ${maxStatementMs}; SET LOCAL lock_timeout = ${maxLockWaitMs}; SET LOCAL idle_in_transaction_session_timeout = ${maxPauseInTransactionMs}`;

/** The same for one transaction, after which a pooler gives the connection to others. `waitsForDisk`: its commit does. */
export async function settleTransaction(
  client: ClientBase,
  { waitsForDisk }: { waitsForDisk: boolean },
): Promise<void> {
  await client.query(waitsForDisk ? `${settleTransactionSql}; ${waitForDiskSql(true)}` : settleTransactionSql);
}

interface PoolOptions extends Purpose {
  max: number;
  logger: Logger;
  /** The connections lead to a pooler in transaction mode: nothing stays with them from one transaction to the next. */
  isShared?: boolean;
}

/** The pool connects when a connection is needed. */
export function createPool(url: string, p: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionConfig(url, p),
    max: p.max,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => (p.isShared ? void sharedConnections.add(client) : settle(client, p)),
  });
  if (p.isShared) sharedConnections.add(pool);
  // Emitted for idle connections. The next operation opens a new one.
  pool.on("error", (error) => p.logger.warn("connection to the store lost", { error: toStoreError(error) }));
  return pool;
}

/** The name for messages: without the user and the password. */
export function databaseName(url: string): string {
  return `postgres://${postgresLocation(url)}`;
}
