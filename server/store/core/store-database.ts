import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { StoreTopic } from "../../ports/store.ts";
import type { Operation } from "../shared/operation.ts";
import type { CoreTables } from "./tables.ts";

/**
 * Either database, for operations that need no tuning, so that they are written once. Tables and queries have the types
 * of SQLite for both, because drizzle's builders have the same methods. Only a session can run them.
 */
export interface StoreDatabase {
  tables: CoreTables;
  read<Result>(operation: (session: StoreSession) => Operation<Result>): Promise<Result>;
  /** In a transaction. It can run twice, so the operation must not have effects outside the database. */
  write<Result>(operation: (session: StoreSession) => Operation<Result>): Promise<Result>;
  /** For the reads of every webhook: the query is built once. Its parameters are placeholders. */
  prepare<Row>(build: (db: QueryBuilder) => Preparable<Row>): (values: Record<string, unknown>) => Promise<Row[]>;
}

export interface StoreSession {
  db: QueryBuilder;
  tables: CoreTables;
  rows<Row>(query: RowsQuery<Row>): Operation<Row[]>;
  /** Locks the rows until the end of the transaction, so that decisions based on them stay valid. */
  lockedRows<Row>(query: RowsQuery<Row>): Operation<Row[]>;
  /** Excludes other writers of the table until the end of the transaction. */
  lockTable(table: CoreTables[keyof CoreTables]): Operation<void>;
  run(query: RunQuery): Operation<void>;
  /** Reports that the operation changes visible data of a topic, which changes its mark. */
  changed(topic: StoreTopic): void;
}

export type QueryBuilder = Pick<BetterSQLite3Database, "select" | "insert" | "update" | "delete">;

export interface RowsQuery<Row> {
  all(): Row[];
}

export interface RunQuery {
  run(): unknown;
}

export interface Preparable<Row> {
  prepare(): { all(values: Record<string, unknown>): Row[] };
}
