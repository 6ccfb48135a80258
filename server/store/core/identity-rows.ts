import {
  and,
  asc,
  type Column,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  like,
  lt,
  lte,
  ne,
  or,
  type SQL,
} from "drizzle-orm";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../../ports/store/people-store.ts";
import type { StoreDatabase } from "./store-database.ts";

/** For the identity provider, which chooses its own conditions. Other code uses the operations on people. */
export function createIdentityRows({ tables, read, write }: StoreDatabase): IdentityRows {
  const tableOf = {
    user: tables.person,
    session: tables.personSession,
    account: tables.personAccount,
    verification: tables.personVerification,
  } satisfies Record<IdentityTable, unknown>;

  function columnOf(table: IdentityTable, field: string): Column {
    const column = new Map<string, Column>(Object.entries(getTableColumns(tableOf[table]))).get(field);
    if (!column) throw new Error(`The identity provider asks for ${table}.${field}, which the store does not have.`);
    return column;
  }

  function conditionOf(table: IdentityTable, where: readonly IdentityCondition[]): SQL | undefined {
    const compare = ({ field, ...rest }: IdentityCondition) => comparison(columnOf(table, field), rest);
    const alternatives = where.filter(({ connector }) => connector === "OR");
    const others = where.filter(({ connector }) => connector !== "OR");
    return and(...others.map(compare), or(...alternatives.map(compare)));
  }

  return {
    insertRow: (table, row) =>
      write(function* ({ db, rows }) {
        // The provider's adapter has checked the row.
        const [inserted] = yield* rows(
          db
            .insert(tableOf[table])
            .values(row as never)
            .returning(),
        );
        if (!inserted) throw new Error(`The row of ${table} was not inserted`);
        return inserted;
      }),
    findRows: ({ table, where, limit, offset, sortBy }) =>
      read(function* ({ db, rows }) {
        const found = db.select().from(tableOf[table]).where(conditionOf(table, where)).limit(limit).offset(offset);
        if (!sortBy) return yield* rows(found);
        const column = columnOf(table, sortBy.field);
        return yield* rows(found.orderBy(sortBy.direction === "asc" ? asc(column) : desc(column)));
      }),
    countRows: (table, where) =>
      read(function* ({ db, rows }) {
        const query = db.select({ found: count() }).from(tableOf[table]);
        const [counted] = yield* rows(query.where(conditionOf(table, where)));
        return counted?.found ?? 0;
      }),
    updateRows: (table, where, values) =>
      write(({ db, rows }) => rows(db.update(tableOf[table]).set(values).where(conditionOf(table, where)).returning())),
    removeRows: (table, where) =>
      write(({ db, rows }) => rows(db.delete(tableOf[table]).where(conditionOf(table, where)).returning())),
  };
}

const comparisons: Record<string, (column: Column, value: unknown) => SQL> = {
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

function comparison(column: Column, { operator, value }: Omit<IdentityCondition, "field">): SQL {
  const compare = comparisons[operator];
  if (!compare) throw new Error(`The identity provider compares by ${operator}, which the store does not support.`);
  return compare(column, value);
}
