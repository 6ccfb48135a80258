import { getTableColumns } from "drizzle-orm";
import type { Connection } from "./open-connection.ts";
import { deliveryList, runList } from "./schema.ts";

/**
 * The list index: the tables `delivery_list` and `run_list` with the columns that lists filter by, and their indexes.
 * Commits do not wait for it. It has all rows up to a number; every list reads the few newer ones from their own
 * tables. A trigger keeps it equal to runs that change later, and the foreign keys remove what is removed. So each list
 * is exact at any moment.
 */

type ListedTable = "delivery" | "run";

const columns: Readonly<Record<ListedTable, readonly string[]>> = {
  delivery: namesOf(deliveryList),
  run: namesOf(runList),
};

/** How many rows of a table one transaction indexes: it takes a few milliseconds. */
const defaultRows = 500;

/** The rows that are not in the list index yet. */
export function isUnlistedSql(table: ListedTable): string {
  return `${table}.seq > ${lastSql(`${table}_list`)}`;
}

/** Rows of the list index, and those that are not in it yet, for which a condition on the common columns is true. */
export function listedSql(table: ListedTable, p: { columns: string; index: string; where: string }): string {
  return `SELECT ${p.columns} FROM ${table}_list INDEXED BY ${p.index} WHERE ${p.where}
    UNION ALL SELECT ${p.columns} FROM ${table} NOT INDEXED WHERE ${isUnlistedSql(table)} AND ${p.where}`;
}

interface ListIndex {
  /** How many rows are not in it yet; numbers of removed rows count, too. */
  countUnlisted(): number;
  /** Indexes the next rows, in a write transaction. Returns whether there may be more. */
  fill(): boolean;
}

export function prepareListIndex(connection: Connection, rowsAtOnce = defaultRows): ListIndex {
  const counts = (["delivery", "run"] as const).map((table) => `${lastSql(table)} - ${lastSql(`${table}_list`)}`);
  const countUnlisted = connection.prepare<[], number>(`SELECT ${counts.join(" + ")}`).pluck();
  const fills = (["delivery", "run"] as const).map((table) => prepareFill(connection, table, rowsAtOnce));
  return {
    countUnlisted: () => countUnlisted.get() ?? 0,
    fill: () => fills.map((fill) => fill()).some((isFull) => isFull),
  };
}

function prepareFill(connection: Connection, table: ListedTable, rows: number): () => boolean {
  const names = columns[table].join(", ");
  const last = connection.prepare<[], number>(`SELECT ${lastSql(`${table}_list`)}`).pluck();
  const fill = connection.prepare(
    `INSERT INTO ${table}_list (${names}) SELECT ${names} FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${rows}`,
  );
  return () => fill.run(last.get()).changes === rows;
}

/** Empties the list index and fills it. Writes in many transactions; lists stay exact meanwhile. */
export function rebuildListIndex(connection: Connection): void {
  for (const table of ["delivery", "run"] as const) connection.exec(`DELETE FROM ${table}_list`);
  const fill = connection.transaction(prepareListIndex(connection).fill);
  while (fill.immediate());
}

/** The first difference between the list index and the rows, in words; `null`: none. */
export function findListDamage(connection: Connection): string | null {
  for (const table of ["delivery", "run"] as const) {
    const of = (alias: string) => columns[table].map((column) => `${alias}.${column}`).join(", ");
    const wrong = connection
      .prepare<[], number>(
        `SELECT count(*) FROM ${table} AS t LEFT JOIN ${table}_list AS l ON l.seq = t.seq
         WHERE t.seq <= (SELECT max(seq) FROM ${table}_list) AND (${of("t")}) IS NOT (${of("l")})`,
      )
      .pluck()
      .get();
    const extra = connection
      .prepare<[], number>(
        `SELECT count(*) FROM ${table}_list AS l WHERE NOT EXISTS (SELECT 1 FROM ${table} AS t WHERE t.seq = l.seq)`,
      )
      .pluck()
      .get();
    const count = (wrong ?? 0) + (extra ?? 0);
    if (count === 1) return `1 entry of ${table}_list differs from its row`;
    if (count > 1) return `${count} entries of ${table}_list differ from their rows`;
  }
  return null;
}

function lastSql(table: string): string {
  return `coalesce((SELECT max(seq) FROM ${table}), 0)`;
}

function namesOf(table: typeof deliveryList | typeof runList): readonly string[] {
  return Object.values(getTableColumns(table)).map(({ name }) => name);
}
