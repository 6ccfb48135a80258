import { getTableColumns, sql, Subquery } from "drizzle-orm";
import { customType } from "drizzle-orm/sqlite-core";
import { runStatusCodes } from "../../domain/stored-codes.ts";
import { describeRunTables } from "../core/run-tables.ts";
import type { StoreDatabase, StoreSession } from "../core/store-database.ts";
import { resultOf, runSync } from "../shared/operation.ts";
import type { SqliteDatabase } from "./database.ts";
import { type Names, noName } from "./names.ts";
import { insertRuns, type RunParts } from "./runs/insert-run.ts";
import type { KeySlots } from "./runs/key-slots.ts";
import { type AddEntry, addLaterEntry } from "./runs/timeline.ts";
import type { WriteQueue } from "./writes/write-queue.ts";
import { columnTypes } from "./schema/columns.ts";
import { coreTables } from "./schema/core.ts";
import { hasFailedSql, inputSql, isOpenSql } from "./stored-forms.ts";

/** A session for operations of the core in a write transaction. SQLite has one writer, which locks all rows. */
export function createStoreSession(
  { db, names, changed }: SqliteDatabase,
  { addEntry, keySlots, ...parts }: RunParts & { addEntry: AddEntry; keySlots: KeySlots },
): StoreSession {
  return {
    db,
    tables: { ...coreTables, ...describeRunTables({ ...columnTypes, name: nameColumn(names) }) },
    rows: (query) => resultOf(query.all()),
    lockedRows: (query) => resultOf(query.all()),
    lockTable: () => resultOf(undefined),
    lockName: () => resultOf(undefined),
    run: (query) => resultOf(void query.run()),
    changed,
    insertRuns: (runs) => resultOf(insertRuns(parts, runs)),
    addEntry: (key, entry) => resultOf(addLaterEntry({ db }, { seq: Number(key), entry, addEntry })),
    lockKey: () => resultOf(undefined),
    changeSlot: (key, to, now) => resultOf(keySlots.change(Number(key), to, now)),
    notifyHosts() {},
  };
}

export function createStoreDatabase(
  { db, read, readInTurn, write }: SqliteDatabase,
  { session, queueing }: { session: StoreSession; queueing: WriteQueue["write"] },
): StoreDatabase {
  // With the second column of the index, the third one is found.
  const isQueued = sql.raw(`${isOpenSql} AND status = ${runStatusCodes.queued} AND is_isolated IN (0, 1)`);
  const { tables } = session;
  return {
    tables,
    forms: {
      isOpen: sql.raw(isOpenSql),
      hasFailed: sql.raw(hasFailedSql),
      isQueued,
      isQueuedInPool: isQueued,
      isHeld: sql.raw(`${isOpenSql} AND status = ${runStatusCodes.running}`),
      input: sql.raw(inputSql).mapWith(JSON.parse),
      runsBy: (index) =>
        new Subquery(sql.raw(`SELECT * FROM run INDEXED BY ${index}`), getTableColumns(tables.run), "run"),
    },
    read: (operation) => read(() => runSync(operation(session))),
    readInTurn: (operation) => readInTurn(() => runSync(operation(session))),
    write: (operation) => write(() => runSync(operation(session))),
    writeNewRuns: (operation) => queueing(() => runSync(operation(session))),
    prepare(build) {
      const prepared = build(db).prepare();
      return (values) => read(() => prepared.all(values));
    },
  };
}

/** Conditions never add a name: no row has one that is missing. */
const nameColumn = ({ find, textOf }: Names) =>
  customType<{ data: string; driverData: unknown }>({
    dataType: () => "integer",
    toDriver: (name) => find(name) ?? noName,
    fromDriver: (id) => textOf(Number(id)),
  });
