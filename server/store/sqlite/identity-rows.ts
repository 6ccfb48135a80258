import { asc, count, desc, getTableColumns, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../../ports/store/people-store.ts";
import { identityColumns, identityCondition } from "../shared/identity-conditions.ts";
import type { SqliteDatabase } from "./database.ts";
import { person, personAccount, personSession, personVerification } from "./schema.ts";

const tables = {
  user: person,
  session: personSession,
  account: personAccount,
  verification: personVerification,
} as const;

/** For the identity provider, which has its own mind about what it asks. Everybody else has the verbs of the people. */
export function createIdentityRows({ db, read, write }: SqliteDatabase): IdentityRows {
  return {
    insertRow: (table, row) =>
      write(() =>
        db
          .insert(tables[table])
          .values(row as never)
          .returning()
          .get(),
      ),
    findRows: ({ table, where, limit, offset, sortBy }) =>
      read(() => {
        const found = db.select().from(tables[table]).where(conditionOf(table, where)).limit(limit).offset(offset);
        if (!sortBy) return found.all();
        const column = columnsOf(table)(sortBy.field);
        return found.orderBy(sortBy.direction === "asc" ? asc(column) : desc(column)).all();
      }),
    countRows: (table, where) =>
      read(() => db.select({ found: count() }).from(tables[table]).where(conditionOf(table, where)).get()?.found ?? 0),
    updateRows: (table, where, values) =>
      write(() => db.update(tables[table]).set(values).where(conditionOf(table, where)).returning().all()),
    removeRows: (table, where) =>
      write(() => db.delete(tables[table]).where(conditionOf(table, where)).returning().all()),
  };
}

function conditionOf(table: IdentityTable, where: readonly IdentityCondition[]): SQL | undefined {
  return identityCondition(where, columnsOf(table));
}

function columnsOf(table: IdentityTable): (field: string) => SQLiteColumn {
  return identityColumns<SQLiteColumn>(table, getTableColumns(tables[table]));
}
