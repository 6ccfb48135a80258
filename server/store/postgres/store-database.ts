import { getTableName } from "drizzle-orm";
import type {
  StoreDatabase,
  StoreSession,
  Preparable,
  QueryBuilder,
  RowsQuery,
  RunQuery,
} from "../core/store-database.ts";
import { resultOf, runAsync } from "../shared/operation.ts";
import type { PostgresDatabase } from "./database.ts";
import { coreTables } from "./schema/core.ts";
import type { Session } from "./connection/session.ts";

export function createStoreDatabase({ read, write }: Pick<PostgresDatabase, "read" | "write">): StoreDatabase {
  return {
    tables: coreTables,
    read: (operation) => read((session) => runAsync(operation(toStoreSession(session)))),
    write: (operation) => write((session) => runAsync(operation(toStoreSession(session)))),
    prepare<Row>(build: (db: QueryBuilder) => Preparable<Row>) {
      const queries = new WeakMap<Session, Prepared<Row>>();
      return shareReads((values) =>
        read((session) => {
          const query =
            queries.get(session) ?? onPostgres(build(toStoreSession(session, session.preparedDb).db)).prepare();
          queries.set(session, query);
          return query.execute(values);
        }),
      );
    },
  };
}

/**
 * Calls while a read of the same values is in progress share the next one. It begins after each of them, so it sees
 * what was committed before the call. The reads of many webhooks are few, and the fewer the slower the database is.
 */
function shareReads<Result>(
  read: (values: Record<string, unknown>) => Promise<Result>,
): (values: Record<string, unknown>) => Promise<Result> {
  const reads = new Map<string, { current: Promise<Result>; next: Promise<Result> | null }>();

  function begin(key: string, values: Record<string, unknown>): Promise<Result> {
    const entry: { current: Promise<Result>; next: Promise<Result> | null } = { current: read(values), next: null };
    reads.set(key, entry);
    const settle = () => void (entry.next ?? reads.delete(key));
    entry.current.then(settle, settle);
    return entry.current;
  }

  return (values) => {
    const key = JSON.stringify(values);
    const entry = reads.get(key);
    if (!entry) return begin(key, values);
    const beginNext = () => begin(key, values);
    return (entry.next ??= entry.current.then(beginNext, beginNext));
  };
}

function toStoreSession(session: Session, db: Session["db"] = session.db): StoreSession {
  return {
    db: db as unknown as StoreSession["db"],
    tables: coreTables,
    rows: (query) => resultOf(onPostgres(query)),
    lockedRows: (query) => resultOf(onPostgres(query).for("no key update")),
    lockTable: (table) =>
      resultOf(session.run(`LOCK TABLE signalbox.${getTableName(table)} IN SHARE ROW EXCLUSIVE MODE`)),
    run: (query) => resultOf(onPostgres(query).then(() => undefined)),
    // The mark is read from the tables.
    changed() {},
  };
}

/** What a query builder of Postgres has, instead of the methods of SQLite's. */
interface PostgresQuery<Row> extends PromiseLike<Row[]> {
  for(strength: "no key update"): PromiseLike<Row[]>;
  prepare(): Prepared<Row>;
}

interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[]>;
}

function onPostgres<Row>(query: RowsQuery<Row> | Preparable<Row> | RunQuery): PostgresQuery<Row> {
  return query as unknown as PostgresQuery<Row>;
}
