import { getTableName } from "drizzle-orm";
import type {
  PortableDatabase,
  PortableSession,
  Preparable,
  RowsQuery,
  RunQuery,
} from "../portable/portable-database.ts";
import { resultOf, runAsync } from "../shared/operation.ts";
import type { PostgresDatabase } from "./database.ts";
import { portableTables } from "./schema/portable.ts";
import type { Session } from "./session.ts";

export function createPortableDatabase({ read, write }: Pick<PostgresDatabase, "read" | "write">): PortableDatabase {
  return {
    tables: portableTables,
    read: (operation) => read((session) => runAsync(operation(portable(session)))),
    write: (operation) => write((session) => runAsync(operation(portable(session)))),
    prepare: (build) => (values) =>
      read((session) =>
        onPostgres(build(portable(session).db))
          .prepare()
          .execute(values),
      ),
  };
}

function portable(session: Session): PortableSession {
  return {
    db: session.db as unknown as PortableSession["db"],
    tables: portableTables,
    rows: (query) => resultOf(onPostgres(query)),
    lockedRows: (query) => resultOf(onPostgres(query).for("no key update")),
    lockTable: (table) => resultOf(session.run(`LOCK TABLE ${getTableName(table)} IN SHARE ROW EXCLUSIVE MODE`)),
    run: (query) => resultOf(onPostgres(query).then(() => undefined)),
    // The mark is read from the tables.
    changed() {},
  };
}

/** What a query builder of Postgres has, instead of the methods of SQLite's. */
interface PostgresQuery<Row> extends PromiseLike<Row[]> {
  for(strength: "no key update"): PromiseLike<Row[]>;
  prepare(): { execute(values: Record<string, unknown>): Promise<Row[]> };
}

function onPostgres<Row>(query: RowsQuery<Row> | Preparable<Row> | RunQuery): PostgresQuery<Row> {
  return query as unknown as PostgresQuery<Row>;
}
