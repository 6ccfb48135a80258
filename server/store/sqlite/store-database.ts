import type { StoreDatabase, StoreSession } from "../core/store-database.ts";
import { resultOf, runSync } from "../shared/operation.ts";
import type { SqliteDatabase } from "./database.ts";
import { coreTables } from "./schema/core.ts";

/** SQLite has one writer, so a write transaction locks all rows. */
export function createStoreDatabase({
  db,
  read,
  write,
  changed,
}: Pick<SqliteDatabase, "db" | "read" | "write" | "changed">): StoreDatabase {
  const session: StoreSession = {
    db,
    tables: coreTables,
    rows: (query) => resultOf(query.all()),
    lockedRows: (query) => resultOf(query.all()),
    lockTable: () => resultOf(undefined),
    run: (query) => resultOf(void query.run()),
    changed,
  };
  return {
    tables: coreTables,
    read: (operation) => read(() => runSync(operation(session))),
    write: (operation) => write(() => runSync(operation(session))),
    prepare(build) {
      const prepared = build(db).prepare();
      return (values) => read(() => prepared.all(values));
    },
  };
}
