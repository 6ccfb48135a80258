import { asc, count, desc, getTableColumns, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../../ports/store/people-store.ts";
import { identityColumns, identityCondition } from "../shared/identity-conditions.ts";
import type { PostgresDatabase } from "./database.ts";
import { person, personAccount, personSession, personVerification } from "./schema.ts";

const tables = {
  user: person,
  session: personSession,
  account: personAccount,
  verification: personVerification,
} as const;

/** For the identity provider, which has its own mind about what it asks. Everybody else has the verbs of the people. */
export function createIdentityRows({ read, write }: PostgresDatabase): IdentityRows {
  return {
    insertRow: (table, row) =>
      write(async ({ db }) => {
        const [inserted] = await db
          .insert(tables[table])
          .values(row as never)
          .returning();
        if (!inserted) throw new Error(`A row of ${table} was not written.`);
        return inserted;
      }),
    findRows: ({ table, where, limit, offset, sortBy }) =>
      read(({ db }) => {
        const found = db.select().from(tables[table]).where(conditionOf(table, where)).limit(limit).offset(offset);
        if (!sortBy) return found;
        const column = columnsOf(table)(sortBy.field);
        return found.orderBy(sortBy.direction === "asc" ? asc(column) : desc(column));
      }),
    countRows: (table, where) =>
      read(
        async ({ db }) =>
          (await db.select({ found: count() }).from(tables[table]).where(conditionOf(table, where)))[0]?.found ?? 0,
      ),
    updateRows: (table, where, values) =>
      write(({ db }) => db.update(tables[table]).set(values).where(conditionOf(table, where)).returning()),
    removeRows: (table, where) =>
      write(({ db }) => db.delete(tables[table]).where(conditionOf(table, where)).returning()),
  };
}

function conditionOf(table: IdentityTable, where: readonly IdentityCondition[]): SQL | undefined {
  return identityCondition(where, columnsOf(table));
}

function columnsOf(table: IdentityTable): (field: string) => PgColumn {
  return identityColumns<PgColumn>(table, getTableColumns(tables[table]));
}
