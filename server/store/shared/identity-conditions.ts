import { and, type Column, eq, gt, gte, inArray, isNull, like, lt, lte, ne, or, type SQL } from "drizzle-orm";
import type { IdentityCondition } from "../../ports/store/people-store.ts";

type ColumnOf = (field: string) => Column;

/** What the identity provider asks of rows, as a condition on columns. */
export function identityCondition(where: readonly IdentityCondition[], columnOf: ColumnOf): SQL | undefined {
  const alternatives = where.filter(({ connector }) => connector === "OR");
  const all = where.filter(({ connector }) => connector !== "OR");
  return and(
    ...all.map((one) => comparisonOf(one, columnOf)),
    or(...alternatives.map((one) => comparisonOf(one, columnOf))),
  );
}

/** Of a table, by the names that the identity provider knows. */
export function identityColumns<Name extends Column>(
  table: string,
  columns: Record<string, Name>,
): (field: string) => Name {
  const byName = new Map(Object.entries(columns));
  return (field) => {
    const column = byName.get(field);
    if (!column) throw new Error(`The identity provider asks for ${table}.${field}, which the store does not have.`);
    return column;
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

function comparisonOf({ field, operator, value }: IdentityCondition, columnOf: ColumnOf): SQL {
  const compare = comparisons[operator];
  if (!compare) throw new Error(`The identity provider compares by ${operator}, which the store does not know.`);
  return compare(columnOf(field), value);
}
