import type { Statement } from "better-sqlite3";
import type { Connection } from "./open-connection.ts";

/** Lists have about a hundred forms, by their filters. */
const maxStatements = 256;

/**
 * A client for drizzle that keeps statements by their SQL. Drizzle prepares one for each query, and one has about 40 kB
 * outside of V8's heap. V8 knows nothing of them, so garbage of hundreds of megabytes would wait for its next
 * collection.
 */
export function cacheStatements(connection: Connection): Connection {
  const statements = new Map<string, DrizzleStatement>();

  function prepare(sql: string): DrizzleStatement {
    const known = statements.get(sql);
    const statement = known ?? createStatement(connection, sql);
    // The one that was used last is the last.
    if (known) statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > maxStatements && oldest !== undefined) statements.delete(oldest);
    return statement;
  }

  const client = { prepare, transaction: connection.transaction.bind(connection) };
  return client as unknown as Connection;
}

/** What drizzle uses of a statement. */
interface DrizzleStatement extends Pick<Statement<unknown[]>, "run" | "all" | "get"> {
  raw(): Pick<Statement<unknown[]>, "all" | "get">;
}

/** Drizzle reads arrays with `raw()`. A shared statement would stay in this mode. */
function createStatement(connection: Connection, sql: string): DrizzleStatement {
  const statement = connection.prepare(sql);
  return {
    run: (...parameters) => statement.run(...parameters),
    all: (...parameters) => statement.raw(false).all(...parameters),
    get: (...parameters) => statement.raw(false).get(...parameters),
    raw: () => statement.raw(),
  };
}
