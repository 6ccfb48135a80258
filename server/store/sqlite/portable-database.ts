import type { PortableDatabase, PortableSession } from "../portable/portable-database.ts";
import { resultOf, runSync } from "../shared/operation.ts";
import type { SqliteDatabase } from "./database.ts";
import { portableTables } from "./schema/portable.ts";

/** SQLite has one writer, so a write transaction locks all rows. */
export function createPortableDatabase({
  db,
  read,
  write,
  changed,
}: Pick<SqliteDatabase, "db" | "read" | "write" | "changed">): PortableDatabase {
  const session: PortableSession = {
    db,
    tables: portableTables,
    rows: (query) => resultOf(query.all()),
    lockedRows: (query) => resultOf(query.all()),
    lockTable: () => resultOf(undefined),
    run: (query) => resultOf(void query.run()),
    changed,
  };
  return {
    tables: portableTables,
    read: (operation) => read(() => runSync(operation(session))),
    write: (operation) => write(() => runSync(operation(session))),
    prepare(build) {
      const prepared = build(db).prepare();
      return (values) => read(() => prepared.all(values));
    },
  };
}
