import type { SQL, Subquery } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { Json } from "../../contract/json.ts";
import type { StoreTopic } from "../../ports/store.ts";
import type { NewTimelineEntry } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { QueueFull } from "../../ports/store/run-store.ts";
import type { KeySlot, RunKey } from "../../domain/runs/key-slots.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import type { RunTables } from "./run-tables.ts";
import type { CoreTables } from "./tables.ts";

type StoreTables = CoreTables & RunTables;

/**
 * Either database, for operations that need no tuning, so that they are written once. Tables and queries have the types
 * of SQLite for both, because drizzle's builders have the same methods. Only a session can run them.
 */
export interface StoreDatabase {
  tables: StoreTables;
  forms: StoreForms;
  read<Result>(operation: (session: StoreSession) => Operation<Result>): Promise<Result>;
  /** For reads that can take long: the receiver of SQLite takes turns with them. */
  readInTurn<Result>(operation: (session: StoreSession) => Operation<Result>): Promise<Result>;
  /** In a transaction. It can run twice, so the operation must not have effects outside the database. */
  write<Result>(operation: (session: StoreSession) => Operation<Result>): Promise<Result>;
  /** `write` for operations that change runs only by inserting them: what is known of queues stays known. */
  writeNewRuns: StoreDatabase["write"];
  /** For the reads of every webhook: the query is built once. Its parameters are placeholders. */
  prepare<Row>(build: (db: QueryBuilder) => Preparable<Row>): (values: Record<string, unknown>) => Promise<Row[]>;
}

/** What queries about runs contain in another form. */
interface StoreForms {
  /** The run has not ended. A partial index is used only if a query repeats its condition literally. */
  isOpen: SQL;
  hasFailed: SQL;
  isQueued: SQL;
  /** The same, for queries of one pool. */
  isQueuedInPool: SQL;
  /** A worker has the run. */
  isHeld: SQL;
  input: SQL<Json>;
  /** The table of runs, read by an index. Only SQLite needs to know which one. */
  runsBy(index: string): Subquery<"run">;
}

export interface StoreSession extends RunWrites {
  db: QueryBuilder;
  tables: StoreTables;
  rows<Row>(query: RowsQuery<Row>): Operation<Row[]>;
  /** Locks the rows until the end of the transaction, so that decisions based on them stay valid. */
  lockedRows<Row>(query: RowsQuery<Row>): Operation<Row[]>;
  /** Excludes other writers of the table until the end of the transaction. */
  lockTable(table: StoreTables[keyof StoreTables]): Operation<void>;
  /** Excludes other transactions that lock the same name. */
  lockName(name: string): Operation<void>;
  run(query: RunQuery): Operation<void>;
  /** Reports that the operation changes visible data of a topic, which changes its mark. */
  changed(topic: StoreTopic): void;
}

/** What changes together with the rows of runs. */
export interface RunWrites {
  /** Inserts all runs or none. Returns the full queue if there is one. */
  insertRuns(runs: readonly NewRun[]): Operation<QueueFull | null>;
  /** Also to a run that has ended: the entry follows its end. */
  addEntry(run: RowKey, entry: NewTimelineEntry): Operation<void>;
  /** Excludes other transactions that assign the slots of this key. */
  lockKey(key: RunKey): Operation<void>;
  /** Changes the slot of a run whose row is locked. If it is freed, the next run of its key gets it. */
  changeSlot(run: RowKey, to: KeySlot | null, now: number): Operation<void>;
  /** A run is due, or another process executes it. */
  notifyHosts(): void;
}

export type QueryBuilder = Pick<BetterSQLite3Database, "select" | "selectDistinct" | "insert" | "update" | "delete">;

export interface RowsQuery<Row> {
  all(): Row[];
}

export interface RunQuery {
  run(): unknown;
}

export interface Preparable<Row> {
  prepare(): { all(values: Record<string, unknown>): Row[] };
}
