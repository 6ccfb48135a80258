import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { inPortions } from "./in-portions.ts";
import type { Session } from "./session.ts";

interface Column {
  key: string;
  name: string;
  hasDefault: boolean;
  mapToDriverValue(value: unknown): unknown;
}

const columnsOf = new WeakMap<PgTable, Column[]>();
/** Prepared by each connection; texts of more rows come in too many lengths for that. */
const mostPrepared = 8;

/**
 * Inserts rows as drizzle's `insert().values()` does, with as many statements as they need. Its building of one that
 * inserts many took more than half of what an accept cost here. A column that no row names has its default, one that
 * some rows name is NULL in the others. `conflict`: what follows the rows, e.g. `ON CONFLICT … DO UPDATE …`.
 */
export async function insertRows<Table extends PgTable>(
  session: Session,
  table: Table,
  rows: readonly Table["$inferInsert"][],
  p: { bytesOf?: (row: Table["$inferInsert"]) => number; conflict?: string } = {},
): Promise<void> {
  for (const portion of inPortions(rows, p.bytesOf)) await insertPortion(session, table, portion, p.conflict ?? "");
}

async function insertPortion(
  session: Session,
  table: PgTable,
  rows: readonly object[],
  conflict: string,
): Promise<void> {
  const columns = listColumns(table).filter(({ key }) => rows.some((row) => Reflect.get(row, key) !== undefined));
  const values: unknown[] = [];
  for (const row of rows) {
    for (const column of columns) {
      const value: unknown = Reflect.get(row, column.key);
      if (value === undefined && column.hasDefault)
        throw new Error(`${getTableName(table)}.${column.name} has a default, and is named by some of the rows only`);
      values.push(value === undefined || value === null ? null : column.mapToDriverValue(value));
    }
  }
  const text = `INSERT INTO "${getTableName(table)}" (${columns.map(({ name }) => `"${name}"`).join(", ")}) VALUES ${placeholders(rows.length, columns.length)} ${conflict}`;
  await (rows.length <= mostPrepared ? session.change(text, values) : session.changeOnce(text, values));
}

function listColumns(table: PgTable): Column[] {
  const known = columnsOf.get(table);
  if (known) return known;
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => ({
    key,
    name: column.name,
    hasDefault: column.hasDefault,
    mapToDriverValue: (value: unknown) => column.mapToDriverValue(value),
  }));
  columnsOf.set(table, columns);
  return columns;
}

function placeholders(rows: number, columns: number): string {
  let text = "";
  for (let row = 0, at = 1; row < rows; row += 1) {
    text += row === 0 ? "(" : ", (";
    for (let column = 0; column < columns; column += 1, at += 1) text += column === 0 ? `$${at}` : `, $${at}`;
    text += ")";
  }
  return text;
}
