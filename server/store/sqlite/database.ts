import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../contract/app-error.ts";
import { inTurn } from "../../domain/event-loop.ts";
import { type Operation, runInSlices } from "../shared/operation.ts";
import { addCounts, byEndpoint, type TrafficSum } from "../shared/traffic-counts.ts";
import { type ChangeCount, createChangeCount } from "./change-count.ts";
import { createNames, type Names } from "./names.ts";
import type { Connection } from "./open-connection.ts";
import { isBusy, isUnavailable, toStoreError } from "./store-error.ts";
import type { WriteQueue } from "./write-queue.ts";

export const logRangeSql = "SELECT min(id) AS first, max(id) AS last FROM traffic_log";
export const logRowsSql = "SELECT counts FROM traffic_log WHERE id > ?";

/**
 * What the verbs of the store work with. better-sqlite3 is synchronous: a verb is a plain function, made async at the
 * port.
 */
export interface SqliteDatabase {
  db: BetterSQLite3Database;
  connection: Connection;
  /** Runs a verb in a write transaction; see WriteQueue. */
  write: WriteQueue["write"];
  /** What was counted and is not in the table `traffic` yet, by endpoint. */
  trafficLog: ReturnType<typeof createTrafficLogReader>;
  names: Names;
  changes: ChangeCount;
  /** The operation changes what users see: the mark of the store. */
  changed(): void;
  /** Reads at once, for the receiver and the engine. */
  read<T>(verb: () => T): Promise<T>;
  /**
   * Reads for people and clients of the API: in turns, so that the receiver has half of the event loop. The statements
   * of `verb` see the store at one moment.
   */
  readInTurn<T>(verb: () => T): Promise<T>;
  /** The same for a read that may take long; each slice sees the store at one moment. */
  readSlices<T>(begin: () => Operation<T>): Promise<T>;
}

/** `noteFailure`: a read failed for reasons of the store. */
export function createDatabase(
  connection: Connection,
  write: WriteQueue["write"],
  noteFailure: (error: unknown) => void = () => {},
): SqliteDatabase {
  const changes = createChangeCount(connection);
  async function read<T>(verb: () => T | Promise<T>): Promise<T> {
    for (const giveUpAt = performance.now() + waitForLockMs; ; await delay(betweenTriesMs)) {
      if (!connection.open) throw new AppError("store_unavailable", "The store is closed.");
      try {
        return await verb();
      } catch (error) {
        // Readers wait for nobody, but while the log is made anew after a crash. Others are answered meanwhile.
        if (isBusy(error) && performance.now() <= giveUpAt) continue;
        if (isUnavailable(error)) noteFailure(error);
        throw toStoreError(error);
      }
    }
  }
  return {
    db: drizzle(connection),
    connection,
    write,
    trafficLog: createTrafficLogReader(connection),
    names: createNames(connection),
    changes,
    changed: changes.changed,
    read,
    readInTurn: (verb) => read(() => inTurn(() => atOneMoment(verb))),
    // A read that has to begin again after a lock begins with its first slice.
    readSlices: (begin) => read(() => runInSlices(begin(), (slice) => inTurn(() => atOneMoment(slice)))),
  };

  /** Other processes remove rows meanwhile. Making the transaction costs little beside what is read in it. */
  function atOneMoment<T>(verb: () => T): T {
    if (!connection.open) throw new AppError("store_unavailable", "The store is closed.");
    return connection.transaction(verb).deferred();
  }
}

const waitForLockMs = 5_000;
const betweenTriesMs = 20;

/**
 * What was counted and has not been added to the counters yet, by endpoint. Rows do not change and ids do not come
 * again, so each is read once.
 */
function createTrafficLogReader(connection: Connection): () => ReadonlyMap<string, readonly TrafficSum[]> {
  const range = connection.prepare<unknown[], { first: number | null; last: number | null }>(logRangeSql);
  const rowsAfter = connection.prepare<unknown[], string>(logRowsSql).pluck();
  let known: { first: number | null; last: number | null } = { first: null, last: null };
  let sums = new Map<string, number>();
  let logged = new Map<string, TrafficSum[]>();
  return () => {
    const now = range.get() ?? { first: null, last: null };
    if (now.first === known.first && now.last === known.last) return logged;
    if (now.first !== known.first) sums = new Map();
    for (const counts of rowsAfter.iterate(now.first === known.first ? known.last : 0)) addCounts(sums, counts);
    logged = byEndpoint(sums);
    known = now;
    return logged;
  };
}
