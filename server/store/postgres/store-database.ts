import { getTableName, sql, type Subquery } from "drizzle-orm";
import { describeRunTables } from "../core/run-tables.ts";
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
import { partsSql } from "./queue/queues.ts";
import { hasFailedSql, isInQueueSql, isOpenSql, run } from "./schema.ts";
import { columnTypes } from "./schema/columns.ts";
import { coreTables } from "./schema/core.ts";
import type { Session } from "./connection/session.ts";
import { createRunWrites, type RunParts } from "./runs/run-writes.ts";

const tables = { ...coreTables, ...describeRunTables(columnTypes) };

/** A session for operations of the core. */
export function toStoreSession(session: Session, parts: RunParts, db = session.db): StoreSession {
  return {
    db: db as unknown as StoreSession["db"],
    tables,
    rows: (query) => resultOf(onPostgres(query)),
    lockedRows: (query) => resultOf(onPostgres(query).for("no key update")),
    lockTable: (table) =>
      resultOf(session.run(`LOCK TABLE signalbox.${getTableName(table)} IN SHARE ROW EXCLUSIVE MODE`)),
    lockName: (name) =>
      resultOf(session.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [name]).then(() => undefined)),
    run: (query) => resultOf(onPostgres(query).then(() => undefined)),
    // The mark is read from the tables.
    changed() {},
    ...createRunWrites(session, parts),
  };
}

export function createStoreDatabase(
  { read, write }: Pick<PostgresDatabase, "read" | "write">,
  parts: RunParts,
): StoreDatabase {
  const writeInSession: StoreDatabase["write"] = (operation) =>
    write((session) => runAsync(operation(toStoreSession(session, parts))));
  const readInSession: StoreDatabase["read"] = (operation) =>
    read((session) => runAsync(operation(toStoreSession(session, parts))));
  return {
    tables,
    forms: {
      isOpen: sql.raw(isOpenSql),
      hasFailed: sql.raw(hasFailedSql),
      isQueued: sql.raw("status = 'queued'"),
      isQueuedInPool: sql.raw(`${isInQueueSql} AND ${partsSql.queued}`),
      isHeld: sql.raw("worker_id IS NOT NULL AND token IS NOT NULL"),
      input: sql`${run.input}`.mapWith(run.input),
      runsBy: () => tables.run as unknown as Subquery<"run">,
    },
    read: readInSession,
    readInTurn: readInSession,
    write: writeInSession,
    writeNewRuns: writeInSession,
    prepare<Row>(build: (db: QueryBuilder) => Preparable<Row>) {
      const queries = new WeakMap<Session, Prepared<Row>>();
      return shareReads((values) =>
        read((session) => {
          const query =
            queries.get(session) ?? onPostgres(build(toStoreSession(session, parts, session.preparedDb).db)).prepare();
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
