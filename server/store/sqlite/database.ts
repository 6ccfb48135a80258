import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../contract/app-error.ts";
import { duringDiskOperation } from "../../domain/disk-operation.ts";
import { inTurn } from "../../domain/event-loop.ts";
import type { StoreTopic } from "../../ports/store.ts";
import { type Operation, runInSlices } from "../shared/operation.ts";
import { type ChangeCount, createChangeCount } from "./writes/changes.ts";
import { createNames, type Names } from "./names.ts";
import { cacheStatements } from "./file/cache-statements.ts";
import type { Connection } from "./file/open-connection.ts";
import { isBusy, isUnavailable, toStoreError } from "./store-error.ts";
import { createTrafficLogReader } from "./deliveries/traffic-log.ts";
import type { WriteQueue } from "./writes/write-queue.ts";

/**
 * Shared by the operations of the store. better-sqlite3 is synchronous, so an operation is a plain function; the port
 * makes it async.
 */
export interface SqliteDatabase {
  db: BetterSQLite3Database;
  connection: Connection;
  /** Runs an operation in a write transaction; see WriteQueue. */
  write: WriteQueue["write"];
  /** Counts that are not in the table `traffic` yet, by endpoint. */
  trafficLog: ReturnType<typeof createTrafficLogReader>;
  names: Names;
  changes: ChangeCount;
  /** Reports that the operation changes visible data of a topic, which changes its mark. */
  changed(topic: StoreTopic): void;
  /** Reads immediately, for the receiver and the engine. */
  read<T>(operation: () => T): Promise<T>;
  /**
   * Reads for people and API clients. It takes turns with the receiver, which gets half of the event loop. All
   * statements of the operation read one snapshot.
   */
  readInTurn<T>(operation: () => T): Promise<T>;
  /** The same for a read that can take long. Each slice reads one snapshot. */
  readSlices<T>(begin: () => Operation<T>): Promise<T>;
}

/** `onFailure` gets the error of a read that failed because of the store. */
export function createDatabase(
  connection: Connection,
  write: WriteQueue["write"],
  onFailure: (error: unknown) => void = () => {},
): SqliteDatabase {
  const changes = createChangeCount(connection);
  async function read<T>(operation: () => T | Promise<T>): Promise<T> {
    for (const giveUpAt = performance.now() + lockTimeoutMs; ; await delay(retryMs)) {
      if (!connection.open) throw new AppError("store_unavailable", "The store is closed.");
      try {
        return await duringDiskOperation("read", operation);
      } catch (error) {
        // Readers wait only while the log is recovered after a crash. The event loop is not blocked meanwhile.
        if (isBusy(error) && performance.now() <= giveUpAt) continue;
        if (isUnavailable(error)) onFailure(error);
        throw toStoreError(error);
      }
    }
  }
  return {
    db: drizzle(cacheStatements(connection)),
    connection,
    write,
    trafficLog: createTrafficLogReader(connection),
    names: createNames(connection),
    changes,
    changed: changes.changed,
    read,
    readInTurn: (operation) => read(() => inTurn(() => atOneMoment(operation))),
    // After a lock, a read starts again with its first slice.
    readSlices: (begin) => read(() => runInSlices(begin(), (slice) => inTurn(() => atOneMoment(slice)))),
  };

  /**
   * A snapshot, because other processes can remove rows between two statements. A transaction costs little compared
   * with its reads.
   */
  function atOneMoment<T>(operation: () => T): T {
    if (!connection.open) throw new AppError("store_unavailable", "The store is closed.");
    return duringDiskOperation("read", () => connection.transaction(operation).deferred());
  }
}

const lockTimeoutMs = 5_000;
const retryMs = 20;
