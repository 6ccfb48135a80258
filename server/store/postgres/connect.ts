import { type ClientConfig, Pool, types as parsers } from "pg";
import type { Logger } from "../../ports/logger.ts";
import { createSeldomLog } from "../../ports/seldom-log.ts";
import { fromPostgresText } from "./text-encoding.ts";

const connectMs = 5_000;
/** Milliseconds. A process that is gone without a word, as with its machine, holds its locks no longer than this. */
const longestPauseInTransaction = 15_000;
const longestWaitForLock = 5_000;

const int8 = 20;
const texts = [25, 1043];

const types = {
  getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
    if (format !== "binary" && oid === int8) return Number;
    if (format !== "binary" && texts.includes(oid)) return fromPostgresText;
    return parsers.getTypeParser(oid, format ?? "text");
  },
};

/** How every connection is set: a commit that is told is on disk, and nobody waits for ever. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: "signalbox",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    idle_in_transaction_session_timeout: longestPauseInTransaction,
    lock_timeout: longestWaitForLock,
    types,
  };
}

/** Connects when it is asked for one. */
export function createPool(url: string, p: { max: number; logger: Logger }): Pool {
  const pool = new Pool({ ...connectionConfig(url), max: p.max, idleTimeoutMillis: 60_000 });
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
