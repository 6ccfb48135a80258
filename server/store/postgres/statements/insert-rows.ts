import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type ElementType, toArrayParameter } from "./array-parameters.ts";
import { inPortions } from "./in-portions.ts";
import type { Session } from "../connection/session.ts";

interface Column {
  key: string;
  name: string;
  type: ElementType;
  hasDefault: boolean;
  mapToDriverValue(value: unknown): unknown;
}

const columnsOf = new WeakMap<PgTable, Column[]>();

/** An INSERT of any number of rows, which may be a part of a larger statement. */
export interface InsertPart {
  /** `first`: the number of its first parameter. */
  text(first: number): string;
  values: readonly unknown[];
}

/**
 * Inserts rows, with as many statements as they need: see `toInsert`. `conflict`: what follows the rows, e.g. `ON
 * CONFLICT … DO UPDATE …`.
 */
export async function insertRows<Table extends PgTable>(
  session: Session,
  table: Table,
  rows: readonly Table["$inferInsert"][],
  p: { bytesOf?: (row: Table["$inferInsert"]) => number; conflict?: string } = {},
): Promise<void> {
  for (const portion of inPortions(rows, p.bytesOf)) await insertParts(session, [toInsert(table, portion, p.conflict)]);
}

/**
 * Executes the parts as one statement. References between their rows are checked at its end. Returns the number of rows
 * that the last part changed.
 */
export async function insertParts(session: Session, parts: readonly (InsertPart | null)[]): Promise<number> {
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const part of parts) {
    if (!part) continue;
    texts.push(part.text(values.length + 1));
    values.push(...part.values);
  }
  const last = texts.pop();
  if (last === undefined) return 0;
  const others = texts.map((text, at) => `part_${at} AS (${text})`);
  return await session.change(others.length > 0 ? `WITH ${others.join(", ")} ${last}` : last, values);
}

/**
 * The rows as one array for each column: the text does not depend on their number, so it is prepared once. A column
 * that no row names has its default, one that some rows name is NULL in the others. `null`: there are no rows.
 */
export function toInsert<Table extends PgTable>(
  table: Table,
  rows: readonly Table["$inferInsert"][],
  conflict = "",
): InsertPart | null {
  if (rows.length === 0) return null;
  const columns = listColumns(table).filter(({ key }) => rows.some((row) => Reflect.get(row, key) !== undefined));
  const values = columns.map((column) =>
    toArrayParameter(
      column.type,
      rows.map((row) => toValue(table, column, row)),
    ),
  );
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  return {
    text: (first) =>
      `INSERT INTO signalbox."${getTableName(table)}" (${names}) SELECT * FROM unnest(${columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(", ")}) ${conflict}`,
    values,
  };
}

function toValue(table: PgTable, column: Column, row: object): unknown {
  const value: unknown = Reflect.get(row, column.key);
  if (value === undefined && column.hasDefault)
    throw new Error(`${getTableName(table)}.${column.name} has a default, and is named by some of the rows only`);
  return value === undefined || value === null ? null : column.mapToDriverValue(value);
}

function listColumns(table: PgTable): Column[] {
  const known = columnsOf.get(table);
  if (known) return known;
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => ({
    key,
    name: column.name,
    type: toElementType(column.getSQLType()),
    hasDefault: column.hasDefault,
    mapToDriverValue: (value: unknown) => column.mapToDriverValue(value),
  }));
  columnsOf.set(table, columns);
  return columns;
}

function toElementType(sqlType: string): ElementType {
  switch (sqlType) {
    case "text":
    case 'text COLLATE "C"':
      return "text";
    case "bigint":
    case "bigserial":
      return "bigint";
    case "integer":
    case "boolean":
    case "double precision":
    case "bytea":
      return sqlType;
    default:
      throw new Error(`There are no arrays of ${sqlType}`);
  }
}
