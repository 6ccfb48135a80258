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
  /** The same statement with arrays as rows. The mode of a prepared one would stay. */
  raw(): Pick<Statement<unknown[]>, "all" | "get">;
}

function createStatement(connection: Connection, sql: string): DrizzleStatement {
  // The first one reports errors in the SQL, before it is executed.
  let unused: Statement<unknown[]> | null = connection.prepare(sql);
  let [rows, arrays]: (Statement<unknown[]> | null)[] = [null, null];
  const take = () => {
    const statement = unused ?? connection.prepare(sql);
    unused = null;
    return statement;
  };
  const plain = () => (rows ??= take());
  const raw = () => (arrays ??= take().raw());
  return {
    run: (...parameters) => plain().run(...parameters),
    all: (...parameters) => plain().all(...parameters),
    get: (...parameters) => plain().get(...parameters),
    raw,
  };
}
