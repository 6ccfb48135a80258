import { type ClientBase, type ClientConfig, Pool, types as parsers } from "pg";
import { type Logger, createThrottledLog } from "../../ports/logger.ts";
import { fromPostgresText } from "./text-encoding.ts";

/** The name of the connection that listens for changes, as the server shows it. */
export const listenerName = "signalbox listener";

const connectMs = 5_000;
/**
 * Milliseconds. A process that is gone without a word, as with its machine, holds its locks no longer than this: less
 * than a lease lasts.
 */
const longestPauseInTransaction = 8_000;
const longestWaitForLock = 5_000;
const longestStatement = 8_000;
/**
 * What the server would have ended itself: its answer is lost, as where a network drops all that is sent. Nothing below
 * us would tell for a quarter of an hour.
 */
const longestSilence = 10_000;
const keepAliveAfter = 5_000;
/** Migrations of a large store. */
const longestMigration = 3_600_000;

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

/** How a connection is made; `settle` follows. `isPatient`: statements may take their time, as those of migrations do. */
export function connectionConfig(url: string, { isPatient = false } = {}): ClientConfig {
  return {
    connectionString: withStandardTls(url),
    application_name: "signalbox",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    query_timeout: isPatient ? longestMigration : longestSilence,
    types,
  };
}

/**
 * The server forgets whom it cannot reach, rather than keeping a place for them for two hours. Where its system has no
 * such settings it says so in its log.
 */
const forgetting = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
};

/**
 * What the server is to keep to on a connection: nobody waits for ever. Told when it is made rather than by its first
 * message, which PgBouncer would refuse.
 */
export async function settle(client: ClientBase, { isPatient = false } = {}): Promise<void> {
  const waiting = {
    statement_timeout: isPatient ? longestMigration : longestStatement,
    lock_timeout: longestWaitForLock,
    idle_in_transaction_session_timeout: longestPauseInTransaction,
  };
  const settings = Object.entries({ ...waiting, ...forgetting });
  await client.query(
    `SELECT ${settings.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}; ${waitForDiskSql(false)}`,
  );
}

/** A commit waits for the disk, even if the role or the database has another default. */
function waitForDiskSql(isForTransaction: boolean): string {
  return `SELECT set_config('synchronous_commit', 'on', ${isForTransaction}) WHERE current_setting('synchronous_commit') = 'off'`;
}

const settleTransactionSql = `SET LOCAL statement_timeout = ${longestStatement}; SET LOCAL lock_timeout = ${longestWaitForLock}; SET LOCAL idle_in_transaction_session_timeout = ${longestPauseInTransaction}`;

/** The same for one transaction, after which a pooler gives the connection to others. `waitsForDisk`: its commit does. */
export async function settleTransaction(
  client: ClientBase,
  { waitsForDisk }: { waitsForDisk: boolean },
): Promise<void> {
  await client.query(waitsForDisk ? `${settleTransactionSql}; ${waitForDiskSql(true)}` : settleTransactionSql);
}

interface PoolOptions {
  max: number;
  logger: Logger;
  isPatient?: boolean;
  /** The connections lead to a pooler in transaction mode: nothing stays with them from one transaction to the next. */
  isShared?: boolean;
}

/** Connects when it is asked for one. */
export function createPool(url: string, p: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionConfig(url, p),
    max: p.max,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => (p.isShared ? void sharedConnections.add(client) : settle(client, p)),
  });
  if (p.isShared) sharedConnections.add(pool);
  const logTrouble = createThrottledLog((message, fields) => p.logger.warn(message, fields));
  // Of connections that nobody uses: the next verb makes a new one.
  pool.on("error", (error) => logTrouble("connection to the store lost", { error }));
  return pool;
}

/** To name it in messages: without the user and the password. */
export function databaseName(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `postgres://${host || (searchParams.get("host") ?? "")}${pathname}`;
  } catch {
    return "The database";
  }
}
