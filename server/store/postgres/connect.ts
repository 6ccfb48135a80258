import { type ClientBase, type ClientConfig, Pool, types as parsers } from "pg";
import type { Logger } from "../../ports/logger.ts";
import { createSeldomLog } from "../../ports/seldom-log.ts";
import { fromPostgresText } from "./text-encoding.ts";

const connectMs = 5_000;
/** Milliseconds. A process that is gone without a word, as with its machine, holds its locks no longer than this: less than a lease lasts. */
const longestPauseInTransaction = 8_000;
const longestWaitForLock = 5_000;
const longestStatement = 8_000;
/** What the server would have ended itself: its answer is lost, as where a network drops all that is sent. Nothing below us would tell for a quarter of an hour. */
const longestSilence = 10_000;
const keepAliveAfter = 5_000;
/** Migrations of a large store. */
const longestMigration = 3_600_000;

const int8 = 20;
const texts = [25, 1043];

const types = {
  getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
    if (format !== "binary" && oid === int8) return Number;
    if (format !== "binary" && texts.includes(oid)) return fromPostgresText;
    return parsers.getTypeParser(oid, format ?? "text");
  },
};

/** How every connection is set: a commit that is told is on disk, and nobody waits for ever. `isPatient`: statements may take their time, as those of migrations do. */
export function connectionConfig(url: string, { isPatient = false } = {}): ClientConfig {
  const patience = isPatient ? { statement_timeout: longestMigration, query_timeout: longestMigration } : {};
  return {
    connectionString: url,
    application_name: "signalbox",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    statement_timeout: longestStatement,
    query_timeout: longestSilence,
    idle_in_transaction_session_timeout: longestPauseInTransaction,
    lock_timeout: longestWaitForLock,
    ...patience,
    types,
  };
}

/** The server forgets whom it cannot reach, rather than keeping a place for them for two hours. Where its system has no such settings it says so in its log. */
const forgetSql = "SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '15000', false)";

export async function settle(client: ClientBase): Promise<void> {
  await client.query(forgetSql);
}

/** Connects when it is asked for one. */
export function createPool(url: string, p: { max: number; logger: Logger; isPatient?: boolean }): Pool {
  const pool = new Pool({ ...connectionConfig(url, p), max: p.max, idleTimeoutMillis: 60_000, onConnect: settle });
  const logTrouble = createSeldomLog((message, fields) => p.logger.warn(message, fields));
  // Of connections that nobody uses: the next verb makes a new one.
  pool.on("error", (error) => logTrouble("a connection to the store was lost", { error }));
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
