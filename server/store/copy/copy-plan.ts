import { getTableName, is } from "drizzle-orm";
import { getTableConfig, type PgColumn, PgTable } from "drizzle-orm/pg-core";
import { getTableConfig as getSqliteTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { decidedLines } from "../shared/decided-lines.ts";
import { readStoredVerdicts, type StoredVerdicts } from "../shared/stored-verdicts.ts";
import * as postgresSchema from "../postgres/schema.ts";
import * as sqliteSchema from "../sqlite/schema.ts";
import type { Row } from "./row.ts";
import { eventColumns, forms } from "./sqlite-forms.ts";

/**
 * A table in the form in which rows are copied: that of Postgres. SQLite stores some tables in another form; see
 * `sqlite-forms.ts`.
 */
export interface CopiedTable {
  name: string;
  columns: readonly CopiedColumn[];
  /** Names of the columns by which Postgres reads it. */
  primaryKey: readonly string[];
  /** Columns of Postgres only, derived from the others. */
  derived: readonly DerivedColumn[];
  /** The column with numbers from the database. The next number must be higher than all earlier ones. */
  counter: string | null;
  /** Rows have no id, but a number among the rows with the same value of the first key column. It is the last column. */
  isNumbered: boolean;
}

export type ColumnType = "int4" | "int8" | "float8" | "bool" | "text" | "bytea";

export interface CopiedColumn {
  name: string;
  type: ColumnType;
}

interface DerivedColumn extends CopiedColumn {
  of(row: Row, columns: readonly CopiedColumn[]): string;
}

/**
 * Tables that are not copied, with the reason. All other tables of the schema are copied. The copy itself creates the
 * tables outside the schema: `schema_migration` has the target's own migrations, and SQLite's `sqlite_sequence` is
 * copied as the counters of the tables.
 */
export const notCopied: ReadonlyMap<string, string> = new Map([
  ["delivery_list", "the list index of SQLite, which the copy fills at its end"],
  ["run_list", "the list index of SQLite, which the copy fills at its end"],
  ["run_live", "live model output: useless after its process has ended"],
  ["worker", "heartbeats of processes that have stopped by then; runs continue when their leases expire"],
  ["rate_bucket", "rate limit counters of the last seconds, shared by machines on one Postgres"],
  ["store_fact", "the fingerprint of the secret: the first machine that starts on the copy writes it"],
  ["name", "numbers for names in the rows of SQLite: copied rows have the names"],
  ["store_change", "a number that shows changes to readers of SQLite: it starts again"],
]);

/** Columns that only one of the databases has, with the reason why they are not copied. */
const notCopiedColumns: ReadonlyMap<string, string> = new Map([
  ["run.is_limited", "whether the target has its own queue in Postgres: the first claim that finds the run sets it"],
  ["run.lease_until", "the lease of a process that has stopped by then: the copy ends the leases of running runs"],
]);

const derived: ReadonlyMap<string, DerivedColumn["of"]> = new Map([
  [
    "delivery.decided",
    (row: Row, columns: readonly CopiedColumn[]) => {
      const verdicts = row[columns.findIndex(({ name }) => name === "verdicts")];
      // The store wrote this JSON.
      return decidedLines(readStoredVerdicts(JSON.parse(String(verdicts)) as StoredVerdicts).verdicts);
    },
  ],
]);

/** Its ids count the entries of all runs in Postgres, but those of one run in SQLite. */
const timeline = "run_event";

/** All copied tables, each after the tables that it refers to. Throws if the two schemas do not fit: a defect. */
export function planCopy(): CopiedTable[] {
  const tables = Object.values(postgresSchema).flatMap((table) =>
    is(table, PgTable) && !notCopied.has(getTableName(table)) ? [table] : [],
  );
  const sqliteColumns = listSqliteColumns();
  const plans = tables.map((table) => planTable(table, sqliteColumns.get(getTableName(table)) ?? new Set()));
  const missing = [...sqliteColumns.keys()].filter(
    (name) => !notCopied.has(name) && plans.every((plan) => plan.name !== name),
  );
  if (missing.length > 0) throw new Error(`The schema of Postgres lacks ${missing.join(", ")}.`);
  return inOrderOfReference(tables)
    .map((name) => plans.find((plan) => plan.name === name))
    .filter((plan) => plan !== undefined);
}

/** The columns that Postgres has. */
export function storedColumns({ columns, isNumbered }: CopiedTable): readonly CopiedColumn[] {
  return isNumbered ? columns.slice(0, -1) : columns;
}

/** Columns in the form in which they are copied. */
function listSqliteColumns(): Map<string, Set<string>> {
  const tables = Object.values(sqliteSchema).flatMap((table) =>
    is(table, SQLiteTable) ? [getSqliteTableConfig(table)] : [],
  );
  const plain = tables.map(({ name, columns }) => [name, columns.map((column) => column.name)] as const);
  const narrow = [...forms].map(([name, { columns }]) => [name, Object.keys(columns)] as const);
  const entries = [timeline, ["run_id", ...Object.keys(eventColumns)]] as const;
  return new Map([...plain, ...narrow, entries].map(([name, columns]) => [name, new Set(columns)]));
}

function planTable(table: PgTable, inSqlite: ReadonlySet<string>): CopiedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const isNumbered = name === timeline;
  const plan = { columns: new Array<CopiedColumn>(), derived: new Array<DerivedColumn>() };
  for (const column of columns) {
    const path = `${name}.${column.name}`;
    const of = derived.get(path);
    const type = typeOf(column);
    if (notCopiedColumns.has(path)) continue;
    if (inSqlite.has(column.name)) plan.columns.push({ name: column.name, type });
    else if (of) plan.derived.push({ name: column.name, type, of });
    else if (!isNumbered || !column.primary)
      throw new Error(`The schema of SQLite has no ${path}: define in copy-plan.ts how to derive it.`);
  }
  const lost = [...inSqlite].filter((known) => columns.every((column) => column.name !== known));
  if (lost.length > 0)
    throw new Error(`The schema of Postgres lacks ${lost.map((column) => `${name}.${column}`).join(", ")}.`);
  const counted = columns.find((column) => column.getSQLType() === "bigserial");
  const primaryKey = [...columns.filter(({ primary }) => primary), ...primaryKeys.flatMap((key) => key.columns)];
  if (isNumbered) plan.columns.push({ name: "ordinal", type: "int8" });
  return {
    name,
    ...plan,
    primaryKey: [...(isNumbered ? ["run_id"] : []), ...primaryKey.map((column) => column.name)],
    counter: isNumbered ? null : (counted?.name ?? null),
    isNumbered,
  };
}

function typeOf(column: PgColumn): ColumnType {
  const [sqlType = ""] = column.getSQLType().split(" COLLATE");
  const types: Record<string, ColumnType> = {
    integer: "int4",
    bigint: "int8",
    bigserial: "int8",
    "double precision": "float8",
    boolean: "bool",
    text: "text",
    bytea: "bytea",
  };
  const type = types[sqlType];
  if (!type) throw new Error(`A store copy does not support ${sqlType}, the type of ${column.name}.`);
  return type;
}

/** Names of tables, each after the tables that it refers to. */
function inOrderOfReference(tables: readonly PgTable[]): string[] {
  const needed = new Map(
    tables.map((table) => [
      getTableName(table),
      getTableConfig(table).foreignKeys.map((key) => getTableName(key.reference().foreignTable)),
    ]),
  );
  const ordered = new Set<string>();
  const visit = (name: string) => {
    for (const other of needed.get(name) ?? []) if (other !== name && !ordered.has(other)) visit(other);
    ordered.add(name);
  };
  for (const name of [...needed.keys()].sort()) visit(name);
  return [...ordered];
}
