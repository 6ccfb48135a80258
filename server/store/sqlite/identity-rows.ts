import { type SQL, and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, like, lt, lte, ne, or } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../../ports/people-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { person, personAccount, personSession, personVerification } from "./schema.ts";

const tables = { user: person, session: personSession, account: personAccount, verification: personVerification } as const;

/** For the identity provider, which has its own mind about what it asks. Everybody else has the verbs of the people. */
export function createIdentityRows({ db, read, write }: SqliteDatabase): IdentityRows {
  return {
    insertRow: (table, row) => write(() => db.insert(tables[table]).values(row as never).returning().get()),
    findRows: ({ table, where, limit, offset, sortBy }) =>
      read(() => {
        const found = db.select().from(tables[table]).where(conditionOf(table, where)).limit(limit).offset(offset);
        if (!sortBy) return found.all();
        const column = columnOf(table, sortBy.field);
        return found.orderBy(sortBy.direction === "asc" ? asc(column) : desc(column)).all();
      }),
    countRows: (table, where) => read(() => db.select({ found: count() }).from(tables[table]).where(conditionOf(table, where)).get()?.found ?? 0),
    updateRows: (table, where, values) => write(() => db.update(tables[table]).set(values).where(conditionOf(table, where)).returning().all()),
    removeRows: (table, where) => write(() => db.delete(tables[table]).where(conditionOf(table, where)).returning().all()),
  };
}

function conditionOf(table: IdentityTable, where: readonly IdentityCondition[]): SQL | undefined {
  const alternatives = where.filter(({ connector }) => connector === "OR");
  const all = where.filter(({ connector }) => connector !== "OR");
  return and(...all.map((one) => comparisonOf(table, one)), or(...alternatives.map((one) => comparisonOf(table, one))));
}

const comparisons: Record<string, (column: SQLiteColumn, value: unknown) => SQL> = {
  eq: (column, value) => (value === null ? isNull(column) : eq(column, value)),
  ne,
  lt,
  lte,
  gt,
  gte,
  in: (column, value) => inArray(column, Array.isArray(value) ? value : [value]),
  contains: (column, value) => like(column, `%${String(value)}%`),
  starts_with: (column, value) => like(column, `${String(value)}%`),
  ends_with: (column, value) => like(column, `%${String(value)}`),
};

function comparisonOf(table: IdentityTable, { field, operator, value }: IdentityCondition): SQL {
  const compare = comparisons[operator];
  if (!compare) throw new Error(`The identity provider compares by ${operator}, which the store does not know.`);
  return compare(columnOf(table, field), value);
}

function columnOf(table: IdentityTable, field: string): SQLiteColumn {
  const column = new Map<string, SQLiteColumn>(Object.entries(getTableColumns(tables[table]))).get(field);
  if (!column) throw new Error(`The identity provider asks for ${table}.${field}, which the store does not have.`);
  return column;
}
