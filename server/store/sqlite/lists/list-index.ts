import { getTableColumns } from "drizzle-orm";
import type { Connection } from "../file/open-connection.ts";
import { deliveryList, runList } from "../schema.ts";

/**
 * The list index: the tables `delivery_list` and `run_list` with the columns that lists filter by, and their indexes.
 * Commits do not wait for it. It contains all rows up to a number; every list reads the few newer rows from their own
 * tables. A trigger copies later changes of runs, and foreign keys remove deleted rows. So every list is exact at any
 * time.
 */

type ListedTable = "delivery" | "run";

const columns: Readonly<Record<ListedTable, readonly string[]>> = {
  delivery: namesOf(deliveryList),
  run: namesOf(runList),
};

/** Maximum rows of a table that one transaction indexes. It takes a few milliseconds. */
const defaultMaxRows = 500;

/** The rows that are not in the list index yet. */
export function isUnlistedSql(table: ListedTable): string {
  return `${table}.seq > ${lastSql(`${table}_list`)}`;
}

/**
 * The rows that satisfy a condition on the common columns: from the list index, and from the rows that are not in it
 * yet.
 */
export function listedSql(table: ListedTable, p: { columns: string; index: string; where: string }): string {
  return `SELECT ${p.columns} FROM ${table}_list INDEXED BY ${p.index} WHERE ${p.where}
    UNION ALL SELECT ${p.columns} FROM ${table} NOT INDEXED WHERE ${isUnlistedSql(table)} AND ${p.where}`;
}

interface ListIndex {
  /** The number of rows that are not in it yet. It includes the numbers of removed rows. */
  countUnlisted(): number;
  /** Indexes the next rows, in a write transaction. Returns whether there can be more. */
  fill(): boolean;
}

export function prepareListIndex(connection: Connection, maxRows = defaultMaxRows): ListIndex {
  const counts = (["delivery", "run"] as const).map((table) => `${lastSql(table)} - ${lastSql(`${table}_list`)}`);
  const countUnlisted = connection.prepare<[], number>(`SELECT ${counts.join(" + ")}`).pluck();
  const fills = (["delivery", "run"] as const).map((table) => prepareFill(connection, table, maxRows));
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

/** Empties the list index and fills it again, in many transactions. Lists stay exact during the rebuild. */
export function rebuildListIndex(connection: Connection): void {
  for (const table of ["delivery", "run"] as const) connection.exec(`DELETE FROM ${table}_list`);
  const fill = connection.transaction(prepareListIndex(connection).fill);
  while (fill.immediate());
}

/** The first difference between the list index and the rows, as text; `null`: none. */
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
