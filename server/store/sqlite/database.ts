import { setTimeout as delay } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { AppError } from "../../contract/app-error.ts";
import type { Connection } from "./open-connection.ts";
import { isBusy, toStoreError } from "./store-error.ts";
import { createTrafficLogReader } from "./traffic-log.ts";
import { createVerdictSets, type VerdictSets } from "./verdict-sets.ts";
import type { WriteQueue } from "./write-queue.ts";

/** What the verbs of the store work with. better-sqlite3 is synchronous: a verb is a plain function, made async at the port. */
export interface SqliteDatabase {
  db: BetterSQLite3Database;
  connection: Connection;
  /** Runs a verb in a write transaction; see WriteQueue. */
  write: WriteQueue["write"];
  /** What was counted and is not in the table `traffic` yet, by endpoint. */
  trafficLog: ReturnType<typeof createTrafficLogReader>;
  verdictSets: VerdictSets;
  /** Runs a verb that only reads. */
  read<T>(verb: () => T): Promise<T>;
  /** The same for several statements that must see the store at one moment, whatever other processes remove meanwhile. */
  readAtOnce<T>(verb: () => T): Promise<T>;
}

export function createDatabase(connection: Connection, write: WriteQueue["write"]): SqliteDatabase {
  const verdictSets = createVerdictSets(connection);
  async function read<T>(verb: () => T): Promise<T> {
    for (const giveUpAt = performance.now() + waitForLockMs; ; await delay(betweenTriesMs)) {
      if (!connection.open) throw new AppError("store_unavailable", "The store is closed.");
      try {
        return verb();
      } catch (error) {
        // Readers wait for nobody, but while the log is made anew after a crash. Others are answered meanwhile.
        if (!isBusy(error) || performance.now() > giveUpAt) throw toStoreError(error);
      }
    }
  }
  return {
    db: drizzle(connection),
    connection,
    write,
    trafficLog: createTrafficLogReader(connection, verdictSets.read),
    verdictSets,
    read,
    // Making the transaction costs little beside what is read in it.
    readAtOnce: (verb) => read(() => connection.transaction(verb).deferred()),
  };
}

const waitForLockMs = 5_000;
const betweenTriesMs = 20;

/** A named parameter of a prepared UPDATE; Drizzle takes bare placeholders in INSERT and WHERE only. */
export function given(name: string): SQL {
  return sql`${sql.placeholder(name)}`;
}
